package io.holdfast.testkit.check;

import static io.holdfast.spi.Names.quoted;

import io.holdfast.LockReport;
import io.holdfast.Stats;
import io.holdfast.testkit.Simulation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * An extension that fails a test that leaves something behind.
 *
 * <p>It checks after the test and its {@code @AfterEach} methods have run. Register it by {@code @RegisterExtension} on an
 * instance field. The test chooses the checks.
 *
 * <p>It looks for names that are held or awaited at a store (tokens may stay). It looks for holds, waiting owners and unsettled
 * releases of clients, and for timers, tasks and threads of a simulation. It always looks for real threads of the library.
 */
public final class LeakChecker implements AfterEachCallback {

    private static final String THREADS = "holdfast-";
    private static final Duration PATIENCE = Duration.ofSeconds(2);
    private static final long LOOK_MILLIS = 10;

    private final Set<Thread> before = Set.copyOf(libraryThreads().toList());
    private final List<Supplier<Stream<String>>> looks = new ArrayList<>();

    /** Creates a checker that looks for threads only, until further checks are added. */
    public LeakChecker() {
        looks.add(this::leftThreads);
    }

    /** Adds a check for names in use, as a store reports them. */
    public LeakChecker names(Supplier<List<LockReport>> reports) {
        return look(() -> reports.get().stream()
                .filter(report ->
                        report.holder().isPresent() || !report.waiters().isEmpty())
                .map(LeakChecker::describe));
    }

    /** Adds a check for holds, waits and releases that a client has not ended. */
    public LeakChecker client(String name, Supplier<Stats> stats) {
        return look(() -> {
            Stats now = stats.get();
            return Stream.of(
                            gauge(name, now.held(), "names held"),
                            gauge(name, now.waiting(), "owners waiting"),
                            gauge(name, now.unsettled(), "releases pending"))
                    .flatMap(found -> found);
        });
    }

    /** Adds a check for timers, tasks and threads, and for names in use at the simulation's servers. */
    public LeakChecker simulation(Simulation simulation) {
        return names(simulation::inUse).look(() -> simulation.leftovers().stream());
    }

    private LeakChecker look(Supplier<Stream<String>> look) {
        looks.add(look);
        return this;
    }

    /** Returns all leaks now. */
    public List<String> leaks() {
        return looks.stream().flatMap(Supplier::get).toList();
    }

    /** Throws an {@link AssertionError} that shows all leaks, if there are any. */
    public void check() {
        List<String> leaks = leaks();
        if (!leaks.isEmpty()) {
            throw new AssertionError("left behind: " + String.join("; ", leaks));
        }
    }

    @Override
    public void afterEach(ExtensionContext context) {
        check();
    }

    private static Stream<String> gauge(String client, int value, String what) {
        return value == 0 ? Stream.empty() : Stream.of("client " + client + ": " + value + " " + what);
    }

    private static String describe(LockReport report) {
        return "name " + quoted(report.name()) + " "
                + report.holder().map(holder -> "held by " + holder).orElse("free") + ", awaited by "
                + report.waiters().size();
    }

    /** Returns the threads that are left. A thread that was asked to end needs a moment for it. */
    private Stream<String> leftThreads() {
        long end = System.nanoTime() + PATIENCE.toNanos();
        while (newThreads().findAny().isPresent() && System.nanoTime() - end < 0) {
            try {
                Thread.sleep(LOOK_MILLIS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                break;
            }
        }
        return newThreads().map(thread -> "thread " + thread.getName());
    }

    private Stream<Thread> newThreads() {
        return libraryThreads().filter(thread -> !before.contains(thread));
    }

    private static Stream<Thread> libraryThreads() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.isAlive() && thread.getName().startsWith(THREADS))
                .filter(thread -> !Simulation.owns(thread));
    }
}
