package io.holdfast.internal.slot;

import io.holdfast.spi.Capabilities.Signals;
import io.holdfast.spi.StoreException;

/**
 * The values of its client that a {@link Slot} needs. Times are in nanoseconds.
 *
 * @param poll the interval in which a slot asks without having been notified
 * @param command the maximum duration of one store call
 * @param outage the time for which a waiter tolerates an outage of the store
 * @param claim the claim window of the store
 * @param signals the way in which the store sends signals
 * @param queues whether the store keeps a queue
 * @param fairPlaces the number of fair positions that the client can have under one name
 * @param spec the spec with which a name is renewed if its owner did not ask for another one
 * @param counters the counters of the client
 * @param moment the values that change over time
 */
public record SlotConfig(
        long poll,
        long command,
        long outage,
        long claim,
        Signals signals,
        boolean queues,
        int fairPlaces,
        HoldSpec spec,
        Counters counters,
        Moment moment) {

    /** Returns {@code true} if waiters are notified, so that they only poll to repair a lost wake-up. */
    boolean notifiesWaiters() {
        return signals != Signals.NONE;
    }

    /**
     * Returns {@code true} if a holder is notified at once of a foreign waiter. Otherwise a tenure that is handed over locally,
     * or lingers, would hold up others until the store has looked.
     */
    boolean notifiesHolders() {
        return signals == Signals.PUSHED;
    }

    /** The values that change over time. */
    public interface Moment {

        /** Returns the time for which a tenure is handed over locally while foreign clients wait. */
        long sliceNanos();

        /** Returns {@code true} if a foreign waiter would have been reported lately. */
        boolean signalsFresh(long now);

        /** Returns the time, varied at random by up to a tenth. */
        long jittered(long nanos);

        /** Returns {@code true} if somebody listens for grants. */
        boolean eventsWanted();

        /** Returns the error for a waiter whose patience is over. */
        RuntimeException failure(String name, Waiter waiter, Tenure asked, StoreException cause, long now);
    }
}
