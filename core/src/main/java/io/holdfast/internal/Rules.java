package io.holdfast.internal;

import io.holdfast.spi.StoreException;

/** What a {@link KeySlot} needs to know of its client. */
interface Rules {

    /** How often to ask without having been told. */
    long pollNanos();

    /** How long one store call may take. */
    long commandNanos();

    /** For how long a waiter stays through an outage. */
    long outageNanos();

    /** For how long a tenure is handed on while foreign clients wait. */
    long sliceNanos();

    /** Whether a foreign waiter would have been heard of lately. */
    boolean signalsFresh(long now);

    /** Whether the store sends signals. */
    boolean signals();

    /** Whether the store keeps a queue. */
    boolean queues();

    /** The time, give or take a tenth. */
    long jittered(long nanos);

    /** Whether somebody wants to hear of grants. */
    boolean eventsWanted();

    /** Counts a grant. */
    void countGrant();

    /** Counts a grant that passed inside the process. */
    void countHandover();

    /** Counts a wake-up after which the lock was not got. */
    void countEmptyWakeup();

    /** How a name is renewed if its owner did not ask for anything else. */
    Term defaultTerm();

    /** What to tell a waiter whose patience is over. */
    RuntimeException failure(String name, Waiter waiter, Tenure asked, StoreException cause, long now);
}
