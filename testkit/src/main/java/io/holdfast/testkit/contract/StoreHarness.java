package io.holdfast.testkit.contract;

import io.holdfast.spi.LockStore;
import io.holdfast.spi.Platform;
import io.holdfast.spi.StoreConfig;
import java.time.Duration;
import java.util.function.BooleanSupplier;

/** The surroundings of a store under test: a server, and time. Used for one rule, then closed. */
public interface StoreHarness extends AutoCloseable {

    /** The platform of the clients. */
    Platform platform();

    /** Where the server is. */
    String uri();

    /** Opens a connection; all of a harness reach the same server. The rule closes it. */
    LockStore open(StoreConfig config);

    /**
     * A name that goes together with this one, and with others that are made of it, if the store has such names.
     *
     * @param suffix by which they differ
     */
    default String beside(String name, String suffix) {
        return name + suffix;
    }

    /** Lets time pass, on the server too. */
    void pass(Duration time);

    /** Lets time pass until the condition holds, or so much has passed. */
    void passUntil(BooleanSupplier condition, Duration atMost);

    /** Makes the server lose all its data. Called only if the store says that tokens survive it. */
    void wipe();

    /** Ends the surroundings, and fails if a store left something behind. */
    @Override
    void close();
}
