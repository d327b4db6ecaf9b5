package io.holdfast.testkit.contract;

import io.holdfast.LockReport;
import io.holdfast.spi.Capabilities;
import io.holdfast.spi.LockStore;
import io.holdfast.spi.StoreConfig;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicContainer;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/**
 * The rules of {@link LockStore}, one test each, for a store that a subclass supplies.
 *
 * <p>The store's {@link Capabilities} and its other interfaces determine the rules. No rule is skipped by hand. Each rule has
 * its own harness. If the system property {@code holdfast.rules} is set, only the rules run whose topic or name contains its
 * value.
 */
public abstract class StoreContract {

    private static final String WANTED = "holdfast.rules";

    /** Creates the contract, for subclasses. */
    protected StoreContract() {}

    /** Returns a harness for one rule. */
    protected abstract StoreHarness newHarness();

    /** Returns a test for each rule that the store has to keep, by topic. */
    @TestFactory
    public final Stream<DynamicContainer> rules() {
        List<Rule> rules = rulesOfTheStore();
        if (rules.isEmpty()) {
            throw new IllegalStateException("no rule for this store has '" + System.getProperty(WANTED)
                    + "' in its topic or" + " name; look at the property " + WANTED);
        }
        return rules.stream()
                .map(Rule::topic)
                .distinct()
                .map(topic -> DynamicContainer.dynamicContainer(
                        topic,
                        rules.stream()
                                .filter(rule -> rule.topic().equals(topic))
                                .map(this::test)));
    }

    private DynamicTest test(Rule rule) {
        return DynamicTest.dynamicTest(rule.name(), () -> {
            try (StoreHarness harness = newHarness();
                    Scene scene = new Scene(harness)) {
                rule.check().run(scene);
            }
        });
    }

    private List<Rule> rulesOfTheStore() {
        try (StoreHarness harness = newHarness();
                LockStore store = harness.open(StoreConfig.of(
                        harness.uri(), LockReport.Client.unknown("asks-what-it-can"), harness.platform()))) {
            return Rules.all().stream()
                    .filter(rule -> rule.appliesTo(store) && isWanted(rule))
                    .toList();
        }
    }

    private static boolean isWanted(Rule rule) {
        return (rule.topic() + ": " + rule.name()).contains(System.getProperty(WANTED, ""));
    }
}
