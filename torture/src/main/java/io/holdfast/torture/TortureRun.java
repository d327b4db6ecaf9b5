package io.holdfast.torture;

import io.holdfast.Holdfast;
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

    /** The time after which a name that is still held is an orphan: the default session is 30 s. */
    private static final Duration FREE = Duration.ofSeconds(45);

    /** The time within which each thread is served twice after the last fault. */
    private static final Duration SERVED = Duration.ofSeconds(30);

    private final TortureOptions options;
    private final PrintWriter out;

    TortureRun(TortureOptions options, PrintWriter out) {
        this.options = options;
        this.out = out;
    }

    TortureResult run() throws Exception {
        Optional<EmbeddedStore> embedded = EmbeddedStore.named(options.store());
        if (embedded.isEmpty()) {
            // refuses a wrong URI, or a store that cannot be used
            Holdfast.connect(options.store()).close();
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
            List<CrowdViolation> violations = new ArrayList<>();
            orFail(violations, () -> inject(injector, crowd));
            violations.addAll(crowd.starved(SERVED));
            Crowd.Outcome outcome = crowd.finish();
            violations.addAll(outcome.violations());
            if (options.subject() == Subject.HOLDFAST) {
                orFail(violations, () -> violations.addAll(Orphans.of(direct, FREE)));
            }
            return new TortureResult(options, injector.injected(), outcome, violations);
        }
    }

    private void inject(Injector injector, Crowd crowd) throws Exception {
        long end = System.nanoTime() + options.time().toNanos();
        while (System.nanoTime() - end < 0) {
            out.println(injector.injectNext(crowd));
            out.flush();
        }
    }

    private interface Step {
        void run() throws Exception;
    }

    /** Runs a step. Its failure does not hide the violations that were found before. */
    private static void orFail(List<CrowdViolation> violations, Step step) {
        try {
            step.run();
        } catch (Exception | AssertionError e) {
            violations.add(new CrowdViolation(TortureResult.FAILED, String.valueOf(e)));
        }
    }

    /** Deletes the data. A process of the server that is still ending may write files meanwhile. */
    private void delete(Path folder) {
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(file);
            }
        } catch (IOException | UncheckedIOException e) {
            out.println("not deleted: " + folder + ": " + e);
        }
    }
}
