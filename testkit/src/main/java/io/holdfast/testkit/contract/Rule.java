package io.holdfast.testkit.contract;

import io.holdfast.spi.LockStore;
import java.util.function.Predicate;

/**
 * One rule of {@link io.holdfast.spi.LockStore}, as a test.
 *
 * @param topic what it is about
 * @param name the rule, in words
 * @param needs which stores it is for
 * @param check fails if the store breaks it
 */
record Rule(String topic, String name, Predicate<LockStore> needs, Check check) {

    /** A test in a scene of its own. */
    @FunctionalInterface
    interface Check {

        void run(Scene scene);
    }

    boolean appliesTo(LockStore store) {
        return needs.test(store);
    }
}
