package io.holdfast.benchmarks;

import io.holdfast.benchmarks.subject.SubjectKind;
import io.holdfast.benchmarks.work.Answer;
import io.holdfast.benchmarks.work.Job;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The processes of one subject in one cell. */
final class Crew implements AutoCloseable {

    private final Cell cell;
    private final SubjectKind subject;
    private final ServerMeter server;
    private final List<WorkerProcess> workers = new ArrayList<>();
    private final String held;
    private final long period;

    Crew(Cell cell, SubjectKind subject, String uri, ServerMeter server, List<String> options, Path folder)
            throws IOException {
        this.cell = cell;
        this.subject = subject;
        this.server = server;
        Path board = folder.resolve(cell.hashCode() + "-" + subject);
        Job first = new Job(cell.name(), subject, uri, cell.threads(), cell.size(), 0, cell.processes(), board);
        held = first.held();
        period = cell.goesOnBetweenRounds() ? first.lease().toMillis() / 3 : 0;
        for (int process = 0; process < cell.processes(); process++) {
            workers.add(new WorkerProcess(first.of(process), options, folder.resolve("errors")));
        }
    }

    void awaitReady() throws IOException {
        for (WorkerProcess worker : workers) {
            worker.awaitReady();
        }
    }

    SubjectKind subject() {
        return subject;
    }

    /** One round of all processes at once; so long at least that all that is held is renewed. */
    Round round(long atLeast) throws IOException {
        long millis = Math.max(atLeast, period);
        long cpu = cpuMicros();
        ServerMeter.Reading before = server.read();
        for (WorkerProcess worker : workers) {
            worker.begin(millis);
        }
        List<Answer> answers = new ArrayList<>();
        for (WorkerProcess worker : workers) {
            answers.add(worker.answer());
        }
        ServerMeter.Reading counted = server.read().since(before);
        return new Round(answers, cpuMicros() - cpu, counted, lost());
    }

    private long lost() {
        return cell.goesOnBetweenRounds() ? cell.size() - server.present(held, cell.size()) : 0;
    }

    private long cpuMicros() {
        return workers.stream()
                .mapToLong(worker -> worker.cpu().toNanos() / 1_000)
                .sum();
    }

    @Override
    public void close() throws IOException {
        for (WorkerProcess worker : workers) {
            worker.close();
        }
    }
}
