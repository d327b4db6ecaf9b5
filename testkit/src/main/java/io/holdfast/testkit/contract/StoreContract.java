package io.holdfast.testkit.contract;

import io.holdfast.LockReport;
import io.holdfast.spi.Capabilities;
import io.holdfast.spi.LockStore;
import io.holdfast.spi.StoreConfig;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicContainer;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/**
 * The rules of {@link LockStore}, one test each, for a store that a subclass supplies.
 *
 * <p>The store's {@link Capabilities} and its other interfaces determine the rules. No rule is skipped by hand. If the system
 * property {@code holdfast.rules} is set, only the rules run whose topic or name contains its value.
 *
 * <p>Each rule has its own harness, which says how many rules may run at the same time. They run on threads of the contract, and
 * the test of a rule waits for the end of its run.
 */
public abstract class StoreContract {

    private static final String WANTED = "holdfast.rules";

    private static final Duration LIMIT = Duration.ofMinutes(5);

    /** A rule, and the outcome of its run. */
    private record Run(Rule rule, Future<?> outcome) {

        String topic() {
            return rule.topic();
        }

        DynamicTest test() {
            return DynamicTest.dynamicTest(rule.name(), this::await);
        }

        private void await() throws InterruptedException {
            try {
                Object unused = outcome.get(LIMIT.toSeconds(), TimeUnit.SECONDS);
            } catch (TimeoutException e) {
                outcome.cancel(true);
                throw new AssertionError("rule \"" + rule + "\": does not end within " + LIMIT, e);
            } catch (ExecutionException e) {
                throw new AssertionError("rule \"" + rule + "\": " + e.getCause(), e.getCause());
            }
        }
    }

    /** Creates the contract, for subclasses. */
    protected StoreContract() {}

    /** Returns a harness for one rule. If rules run at the same time, it is called on several threads. */
    protected abstract StoreHarness newHarness();

    /** Returns a test for each rule that the store has to keep, by topic. */
    @TestFactory
    public final Stream<DynamicContainer> rules() {
        List<Run> runs = start();
        if (runs.isEmpty()) {
            throw new IllegalStateException("no rule for this store has '" + System.getProperty(WANTED)
                    + "' in its topic or" + " name; look at the property " + WANTED);
        }
        return runs.stream()
                .map(Run::topic)
                .distinct()
                .map(topic -> DynamicContainer.dynamicContainer(
                        topic,
                        runs.stream().filter(run -> run.topic().equals(topic)).map(Run::test)));
    }

    /** No rule starts before the harness that was asked is closed, because harnesses may share a server in memory. */
    private List<Run> start() {
        List<Rule> rules;
        int concurrent;
        try (StoreHarness harness = newHarness();
                LockStore store = harness.open(StoreConfig.of(
                        harness.uri(), LockReport.Client.unknown("asks-what-it-can"), harness.platform()))) {
            rules = Rules.all(harness.backup().isPresent()).stream()
                    .filter(rule -> rule.appliesTo(store) && isWanted(rule))
                    .toList();
            concurrent = harness.concurrentRules();
        }
        return start(rules, concurrent);
    }

    private List<Run> start(List<Rule> rules, int concurrent) {
        ExecutorService threads = Executors.newFixedThreadPool(concurrent, task -> {
            Thread thread = new Thread(task);
            thread.setDaemon(true);
            return thread;
        });
        List<Run> runs = rules.stream()
                .map(rule -> new Run(rule, threads.submit(() -> run(rule))))
                .toList();
        threads.shutdown();
        return runs;
    }

    private void run(Rule rule) {
        Thread.currentThread().setName("contract: " + rule);
        try (StoreHarness harness = newHarness();
                Scene scene = new Scene(harness)) {
            rule.check().run(scene);
        }
    }

    private static boolean isWanted(Rule rule) {
        return rule.toString().contains(System.getProperty(WANTED, ""));
    }
}
