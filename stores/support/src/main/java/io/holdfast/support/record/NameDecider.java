package io.holdfast.support.record;

import io.holdfast.spi.Acquire;
import io.holdfast.spi.TenureId;

/** The decisions of one kind of name: whether it is granted, and who is served. */
sealed interface NameDecider permits LockDecider, SemaphoreDecider {

    /** Decides a request that came in time. */
    Acquire.Reply acquire(Acquire request);

    /**
     * Serves the wait queue, as far as the holders allow.
     *
     * @param yield {@code true} to assign a lock to a waiter that would only be woken otherwise
     */
    void serve(boolean yield);

    /** Returns the number of waiters that is reported to the holder. */
    int waiters(TenureId holder);
}
