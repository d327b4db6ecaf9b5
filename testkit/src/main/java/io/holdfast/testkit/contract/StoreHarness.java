package io.holdfast.testkit.contract;

import io.holdfast.spi.LockStore;
import io.holdfast.spi.Platform;
import io.holdfast.spi.StoreConfig;
import java.time.Duration;
import java.util.Optional;
import java.util.function.BooleanSupplier;

/**
 * A harness for a store under test: a server, and time. It is used for one rule, then closed.
 *
 * <p>If {@link #concurrentRules} is more than 1, other rules run at the same time, each with its own harness. Harnesses that
 * share a server then use different parts of it: a database, a path, or a key prefix each.
 */
public interface StoreHarness extends AutoCloseable {

    /** Returns the platform of the clients. */
    Platform platform();

    /** Returns how many rules may run at the same time, each with a harness like this one. */
    default int concurrentRules() {
        return 1;
    }

    /** Returns the URI of the server. */
    String uri();

    /** Opens a connection. All connections of a harness reach the same server. The rule closes it. */
    LockStore open(StoreConfig config);

    /**
     * Returns a name that can be acquired together with the given one, if the store has such names. It can also be acquired
     * together with other names that are derived from the given one.
     *
     * @param suffix the text by which the names differ
     */
    default String beside(String name, String suffix) {
        return name + suffix;
    }

    /** Lets time pass, including at the server. */
    void pass(Duration time);

    /** Lets time pass until the condition holds, or until the given time has passed. */
    void passUntil(BooleanSupplier condition, Duration atMost);

    /** Makes the server lose all data of this harness. It is called only if the store reports that tokens survive that. */
    void wipe();

    /**
     * Keeps a copy of the present data of this harness.
     *
     * @return an action that puts the data back while clients are connected, each record at once; empty if the data of the store
     *     cannot go back
     */
    default Optional<Runnable> backup() {
        return Optional.empty();
    }

    /** Returns {@code true} if the clock of the server determines tokens, so that they rise even if the data have gone back. */
    default boolean tokensFollowClock() {
        return true;
    }

    /** Ends the harness, and fails if a store left something behind. */
    @Override
    void close();
}
