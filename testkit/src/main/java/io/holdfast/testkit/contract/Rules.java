package io.holdfast.testkit.contract;

import io.holdfast.spi.Capabilities;
import io.holdfast.spi.Capabilities.Signals;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/** All rules. */
final class Rules {

    /** At other stores, no tenure lingers, and a client cannot be asked for a description of its hold. */
    static final Predicate<Capabilities> PUSHED = able -> able.signals() == Signals.PUSHED;

    private final List<Rule> all = new ArrayList<>();
    private String topic = "";

    private Rules() {}

    /**
     * Returns the rules.
     *
     * @param goesBack whether the data of the store can go back to an earlier state
     */
    static List<Rule> all(boolean goesBack) {
        Rules rules = new Rules();
        AcquireRules.addTo(rules.topic("acquire"));
        RenewRules.addTo(rules.topic("renew"));
        ReleaseRules.addTo(rules.topic("release"));
        LossRules.addTo(rules.topic("loss at a release"));
        QueueRules.addTo(rules.topic("queue"));
        LingerRules.addTo(rules.topic("lingering"));
        FairRules.addTo(rules.topic("fair positions"));
        ShareRules.addTo(rules.topic("read/write locks"));
        PermitRules.addTo(rules.topic("permits"));
        LatchRules.addTo(rules.topic("latches"));
        TokenRules.addTo(rules.topic("tokens"));
        FloorRules.addTo(rules.topic("token floors"));
        ReportRules.addTo(rules.topic("reports and forced release"));
        ConnectionRules.addTo(rules.topic("connection"));
        if (goesBack) {
            RestoreRules.addTo(rules.topic("restored data"));
        }
        return List.copyOf(rules.all);
    }

    private Rules topic(String name) {
        topic = name;
        return this;
    }

    /** Adds a rule for every store. */
    Rules add(String name, Rule.Check check) {
        return add(name, any -> true, check);
    }

    Rules add(String name, Predicate<Capabilities> needs, Rule.Check check) {
        all.add(new Rule(topic, name, store -> needs.test(store.capabilities()), scene -> scene.run(check)));
        return this;
    }
}
