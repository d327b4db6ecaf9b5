package io.holdfast;

/**
 * What becomes of a hold that is older than its {@code maxHold}, which is looked at once a second. In each case
 * {@link LockEvent.HeldTooLong} is raised first, once for each hold. The lock is never taken away without a sign to its
 * owner, nor before the owner must take it for lost.
 */
public enum OnMaxHold {

    /** Nothing more; the hold goes on. */
    WARN,

    /**
     * The owner is told to stop. A thread is interrupted, once, while it has the lock; the hold goes on, renewed as before,
     * until the thread unlocks. A {@link Lease} is lost at once for its owner: {@link LockEvent.Lost} is raised,
     * {@link Lease#onLost} runs, and it is renewed no more. Others get the lock when the owner closes the lease, or when the
     * time ends for which the store was last asked.
     */
    INTERRUPT,

    /**
     * The hold is renewed no more, nor can re-entry or {@link Lease#extend} move its end. It stays valid until then, and is
     * lost like any other if the owner still has it.
     */
    STOP_RENEWING
}
