package io.holdfast.torture;

import io.holdfast.testkit.crowd.Crowd;
import io.holdfast.testkit.crowd.CrowdViolation;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * One run: a crowd contends, faults are injected one after the other, and at the end the history of all holds is checked. When the
 * crowd has ended, all names are free within the leases of those that were killed.
 */
final class TortureRun {

    private static final Duration LEASE = Duration.ofSeconds(3);

    /** The time after which a name that is still held is an orphan: a lease and a session, on a busy machine. */
    private static final Duration FREE = LEASE.plus(EmbeddedStore.SESSION).plusSeconds(10);

    private final TortureOptions options;
    private final PrintWriter out;

    TortureRun(TortureOptions options, PrintWriter out) {
        this.options = options;
        this.out = out;
    }

    TortureResult run() throws Exception {
        Optional<EmbeddedStore> embedded = EmbeddedStore.named(options.store());
        if (embedded.isEmpty()) {
            return run(options.store(), options::store, Optional.empty());
        }
        Path folder = Files.createTempDirectory("holdfast-torture");
        try (FaultyServer server = embedded.get().start(folder);
                Paths paths = new Paths(server)) {
            return run(server.uri(server.port()), paths::open, Optional.of(new Faulty(server, paths)));
        } finally {
            delete(folder);
        }
    }

    /** A server that may be touched, and the paths to it. */
    private record Faulty(FaultyServer server, Paths paths) {}

    private TortureResult run(String direct, Supplier<String> uris, Optional<Faulty> faulty) throws Exception {
        Injector injector = new Injector(options.seed(), LEASE, faulty.map(Faulty::server), faulty.map(Faulty::paths));
        try (Crowd crowd = Crowd.start(uris, options.subject().plan(LEASE, options.processes(), options.threads()))) {
            long end = System.nanoTime() + options.time().toNanos();
            while (System.nanoTime() - end < 0) {
                out.println(injector.injectNext(crowd));
                out.flush();
            }
            Crowd.Outcome outcome = crowd.finish();
            List<CrowdViolation> violations = new ArrayList<>(outcome.violations());
            violations.addAll(options.subject() == Subject.HOLDFAST ? Orphans.of(direct, FREE) : List.of());
            return new TortureResult(options, injector.injected(), outcome, violations);
        }
    }

    private static void delete(Path folder) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            files.sorted(Comparator.reverseOrder()).forEach(TortureRun::deleteOne);
        }
    }

    private static void deleteOne(Path file) {
        try {
            Files.delete(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
