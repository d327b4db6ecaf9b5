package io.holdfast.support.record;

import io.holdfast.spi.Acquire;
import io.holdfast.spi.TenureId;

/** The decisions about one kind of name: the answer to an acquire, and the waiters to serve. */
sealed interface NameDecider permits LockDecider, SemaphoreDecider {

    /** Decides a request that is not too late. */
    Acquire.Reply acquire(Acquire request);

    /**
     * Assigns the name to waiters in the order of the queue, or wakes them, unless holders conflict with them.
     *
     * @param yield {@code true} to assign a lock to a waiter that would otherwise only be woken
     */
    void serve(boolean yield);

    /** Returns the number of waiters that is reported to the holder. */
    int waiters(TenureId holder);
}
