package io.holdfast.internal.slot;

import io.holdfast.spi.StoreException;

/**
 * What a {@link Slot} needs to know of its client. Times are in nanoseconds.
 *
 * @param poll how often to ask without having been told
 * @param command how long one store call may take
 * @param outage for how long a waiter stays through an outage
 * @param signals whether the store sends signals
 * @param queues whether the store keeps a queue
 * @param spec how a name is renewed if its owner did not ask for anything else
 * @param counters what is counted
 * @param moment what changes
 */
public record SlotConfig(
        long poll,
        long command,
        long outage,
        boolean signals,
        boolean queues,
        HoldSpec spec,
        Counters counters,
        Moment moment) {

    /** The same, with names renewed like this. */
    SlotConfig with(HoldSpec other) {
        return new SlotConfig(poll, command, outage, signals, queues, other, counters, moment);
    }

    /** What changes from moment to moment. */
    public interface Moment {

        /** For how long a tenure is handed on while foreign clients wait. */
        long sliceNanos();

        /** Whether a foreign waiter would have been heard of lately. */
        boolean signalsFresh(long now);

        /** The time, give or take a tenth. */
        long jittered(long nanos);

        /** Whether somebody wants to hear of grants. */
        boolean eventsWanted();

        /** What to tell a waiter whose patience is over. */
        RuntimeException failure(String name, Waiter waiter, Tenure asked, StoreException cause, long now);
    }
}
