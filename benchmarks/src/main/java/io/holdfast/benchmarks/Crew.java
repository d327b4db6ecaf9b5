package io.holdfast.benchmarks;

import io.holdfast.benchmarks.meter.ServerMeter;
import io.holdfast.benchmarks.subject.SubjectKind;
import io.holdfast.benchmarks.work.Answer;
import io.holdfast.benchmarks.work.Job;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The processes of one subject in one cell. The first failure ends all of them, and turns later steps into no-ops. */
final class Crew implements AutoCloseable {

    // a worker that still works reports by itself that its limit has passed
    private static final Duration MARGIN = Duration.ofSeconds(10);

    private final Cell cell;
    private final SubjectKind subject;
    private final ServerMeter server;
    private final Job first;
    private final long period;
    private final List<WorkerProcess> workers = new ArrayList<>();
    private final BlockingQueue<WorkerProcess.Said> said = new LinkedBlockingQueue<>();
    private final List<Round> rounds = new ArrayList<>();
    private @Nullable String failure;

    Crew(Cell cell, SubjectKind subject, String uri, ServerMeter server, Duration limit, Path folder) {
        this.cell = cell;
        this.subject = subject;
        this.server = server;
        Path board = folder.resolve(cell.hashCode() + "-" + subject);
        first = new Job(cell.name(), subject, uri, cell.threads(), cell.size(), 0, cell.processes(), board, limit);
        period = cell.goesOnBetweenRounds() ? first.lease().toMillis() / 3 : 0;
    }

    SubjectKind subject() {
        return subject;
    }

    /** Starts the processes, with the given JVM options. */
    void start(List<String> options) {
        attempt(() -> {
            for (int process = 0; process < cell.processes(); process++) {
                workers.add(new WorkerProcess(first.of(process), options, said::add));
            }
        });
    }

    void awaitReady() {
        attempt(() -> lines(Duration.ZERO));
    }

    void warmUp(long millis) {
        attempt(() -> measure(millis));
    }

    void round(long millis) {
        attempt(() -> rounds.add(measure(millis)));
    }

    private interface Step {
        void run() throws IOException;
    }

    private void attempt(Step step) {
        if (failure != null) {
            return;
        }
        try {
            step.run();
        } catch (IOException e) {
            failure = String.valueOf(e.getMessage());
            workers.forEach(WorkerProcess::destroy);
        }
    }

    /** Runs one round on all processes at once, at least long enough for every hold to be renewed. */
    private Round measure(long atLeast) throws IOException {
        long millis = Math.max(atLeast, period);
        long cpu = cpuMicros();
        ServerMeter.Reading before = server.read();
        for (WorkerProcess worker : workers) {
            worker.begin(millis);
        }
        List<Answer> answers = new ArrayList<>();
        for (String line : lines(Duration.ofMillis(millis))) {
            answers.add(Answer.of(line));
        }
        ServerMeter.Reading counted = server.read().since(before);
        return new Round(answers, cpuMicros() - cpu, counted, lost());
    }

    /** Returns one line of each process, in the order of arrival, so that a failure is reported while another process hangs. */
    private List<String> lines(Duration work) throws IOException {
        Duration limit = first.limit().plus(work).plus(MARGIN);
        long end = System.nanoTime() + limit.toNanos();
        List<String> lines = new ArrayList<>();
        while (lines.size() < workers.size()) {
            WorkerProcess.Said next = next(end - System.nanoTime());
            if (next == null) {
                throw new IOException((workers.size() - lines.size()) + " of " + workers.size()
                        + " processes did not answer within " + limit.toMillis() + " ms");
            }
            lines.add(next.answer());
        }
        return lines;
    }

    private WorkerProcess.@Nullable Said next(long nanos) throws IOException {
        try {
            return said.poll(nanos, TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
    }

    private long lost() {
        return cell.goesOnBetweenRounds() ? cell.size() - server.present(first.held(), cell.size()) : 0;
    }

    private long cpuMicros() throws IOException {
        long micros = 0;
        for (WorkerProcess worker : workers) {
            micros += worker.cpu().toNanos() / 1_000;
        }
        return micros;
    }

    Results results() {
        return failure == null
                ? new Results(List.of(Row.of(cell, subject.toString(), rounds)), List.of())
                : new Results(List.of(), List.of(new Failure(cell, subject.toString(), failure)));
    }

    @Override
    public void close() {
        workers.forEach(WorkerProcess::close);
    }
}
