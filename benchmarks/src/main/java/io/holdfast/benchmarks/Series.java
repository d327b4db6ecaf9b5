package io.holdfast.benchmarks;

import io.holdfast.benchmarks.subject.SubjectKind;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * Runs cells: all subjects of one are connected at once, and work one after the other, round by round. But one that works on
 * when its round is over would be measured with the others, so each is alone then.
 */
final class Series {

    private final BenchOptions options;
    private final String uri;
    private final ServerMeter server;
    private final Path folder;

    Series(BenchOptions options, String uri, ServerMeter server, Path folder) {
        this.options = options;
        this.uri = uri;
        this.server = server;
        this.folder = folder;
    }

    List<Row> run(Cell cell) throws IOException {
        if (!cell.goesOnBetweenRounds()) {
            return together(cell, cell.subjects());
        }
        List<Row> rows = new ArrayList<>();
        for (SubjectKind subject : cell.subjects()) {
            rows.addAll(together(cell, List.of(subject)));
        }
        return rows;
    }

    private List<Row> together(Cell cell, List<SubjectKind> subjects) throws IOException {
        List<Crew> crews = new ArrayList<>();
        try {
            for (SubjectKind subject : subjects) {
                crews.add(new Crew(cell, subject, uri, server, options.ofProcesses(), folder));
            }
            for (Crew crew : crews) {
                crew.awaitReady();
            }
            return rows(cell, crews);
        } finally {
            for (Crew crew : crews) {
                crew.close();
            }
            server.clear();
        }
    }

    private List<Row> rows(Cell cell, List<Crew> crews) throws IOException {
        List<List<Round>> rounds = new ArrayList<>();
        for (Crew crew : crews) {
            rounds.add(new ArrayList<>());
            if (!cell.once()) {
                warmUp(crew);
            }
        }
        List<Integer> order = new ArrayList<>();
        for (int i = 0; i < crews.size(); i++) {
            order.add(i);
        }
        for (int round = 0; round < (cell.once() ? 1 : options.rounds()); round++) {
            for (int i : order) {
                rounds.get(i).add(crews.get(i).round(options.millis()));
            }
            Collections.rotate(order, 1);
        }
        List<Row> rows = new ArrayList<>();
        for (int i = 0; i < crews.size(); i++) {
            rows.add(Row.of(cell, crews.get(i).subject().toString(), rounds.get(i)));
        }
        return rows;
    }

    /** What stays inside the process is compiled at once. */
    private void warmUp(Crew crew) throws IOException {
        crew.round(crew.subject().crossesTheWire() ? options.warmUpMillis() : options.millis());
    }
}
