package io.holdfast.internal.slot;

import io.holdfast.spi.Capabilities.Signals;
import io.holdfast.spi.StoreException;

/**
 * The values of its client that a {@link Slot} needs. Times are in nanoseconds.
 *
 * @param poll the interval at which a slot polls, even without a signal
 * @param command the maximum duration of one store call
 * @param outage the time for which a waiter tolerates an outage of the store
 * @param claimWindow the claim window of the store
 * @param signals how the store sends signals
 * @param fairPlaces the number of fair positions that the client can have under one name
 * @param spec the spec for a renewal without an owner and without a waiter
 * @param counters the counters of the client
 * @param client the values of the client that change over time
 */
public record SlotConfig(
        long poll,
        long command,
        long outage,
        long claimWindow,
        Signals signals,
        int fairPlaces,
        HoldSpec spec,
        Counters counters,
        ClientState client) {

    /**
     * Returns {@code true} if the store notifies a holder of a foreign waiter at once. Otherwise, the foreign waiter would wait
     * until the next look of the store while the tenure is handed over locally or lingers.
     */
    boolean notifiesHolders() {
        return signals == Signals.PUSHED;
    }

    /** The values of the client that change over time. */
    public interface ClientState {

        /** Returns how long a tenure may be handed over locally while foreign clients wait. */
        long sliceNanos();

        /** Returns {@code true} if a signal about a foreign waiter would have arrived lately. */
        boolean signalsFresh(long now);

        /** Returns the time, varied at random by up to a tenth. */
        long jittered(long nanos);

        /** Returns {@code true} if the client has a listener for grants. */
        boolean hasGrantListeners();

        /** Returns the error for a waiter whose patience is over. */
        RuntimeException failure(String name, Waiter waiter, Tenure requested, StoreException cause, long now);
    }
}
