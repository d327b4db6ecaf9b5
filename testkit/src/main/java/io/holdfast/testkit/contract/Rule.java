package io.holdfast.testkit.contract;

import io.holdfast.spi.LockStore;
import java.util.function.Predicate;

/**
 * One rule of {@link io.holdfast.spi.LockStore}, as a test.
 *
 * @param topic the topic of the rule
 * @param name the rule, in words
 * @param needs selects the stores to which the rule applies
 * @param check fails if the store breaks the rule
 */
record Rule(String topic, String name, Predicate<LockStore> needs, Check check) {

    /** A test in its own scene. */
    @FunctionalInterface
    interface Check {

        void run(Scene scene);
    }

    boolean appliesTo(LockStore store) {
        return needs.test(store);
    }

    /** Returns the topic and the name. */
    @Override
    public String toString() {
        return topic + ": " + name;
    }
}
