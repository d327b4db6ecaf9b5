package io.holdfast.benchmarks;

import io.holdfast.benchmarks.meter.RedisGroup;
import io.holdfast.benchmarks.meter.ServerMeter;
import io.holdfast.benchmarks.subject.SubjectKind;
import io.holdfast.embedded.redis.RedisServer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * Runs the cells. All subjects of a cell are connected at once and run in turn, round by round. A subject whose work continues
 * between rounds would disturb the others, so it runs alone.
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

    Results run(Cell cell) {
        if (cell.isOfQuorum()) {
            return ofQuorum(cell);
        }
        if (!cell.goesOnBetweenRounds()) {
            return together(cell, cell.subjects());
        }
        return cell.subjects().stream()
                .map(subject -> together(cell, List.of(subject)))
                .reduce(Results.NONE, Results::and);
    }

    private Results together(Cell cell, List<SubjectKind> subjects) {
        return together(cell, subjects, uri, server, () -> {});
    }

    /** Runs a cell on servers of its own. A minority goes away when all clients are connected. */
    private Results ofQuorum(Cell cell) {
        try (RedisGroup group = RedisGroup.start(cell.size())) {
            Runnable loss = () -> {};
            if (cell.name().endsWith("killed")) {
                loss = () -> group.take(RedisServer::kill);
            } else if (cell.name().endsWith("frozen")) {
                loss = () -> group.take(RedisServer::pause);
            }
            return together(cell, cell.subjects(), group.uris(), group, loss);
        }
    }

    private Results together(Cell cell, List<SubjectKind> subjects, String uris, ServerMeter meter, Runnable loss) {
        List<Crew> crews = new ArrayList<>();
        for (SubjectKind subject : subjects) {
            crews.add(new Crew(cell, subject, uris, meter, options.limit(), folder));
        }
        try {
            crews.forEach(crew -> crew.start(options.ofProcesses()));
            crews.forEach(Crew::awaitReady);
            loss.run();
            measure(cell, crews);
            return crews.stream().map(Crew::results).reduce(Results.NONE, Results::and);
        } finally {
            crews.forEach(Crew::close);
            meter.clear();
        }
    }

    private void measure(Cell cell, List<Crew> crews) {
        if (!cell.once()) {
            crews.forEach(this::warmUp);
        }
        List<Crew> order = new ArrayList<>(crews);
        for (int round = 0; round < (cell.once() ? 1 : options.rounds()); round++) {
            order.forEach(crew -> crew.round(options.millis()));
            Collections.rotate(order, 1);
        }
    }

    /** Warms a subject up. For one that does not use the server, a normal round is enough for the JIT compiler. */
    private void warmUp(Crew crew) {
        crew.warmUp(crew.subject().crossesTheWire() ? options.warmUpMillis() : options.millis());
    }
}
