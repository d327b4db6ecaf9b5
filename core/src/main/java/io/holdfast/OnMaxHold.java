package io.holdfast;

/**
 * The action for a hold that is older than its {@code maxHold}. The age of holds is checked once a second.
 *
 * <p>In each case {@link LockEvent.HeldTooLong} is raised first, once for each hold. No owner loses the lock without being
 * notified, and no other owner can acquire it before the owner must treat it as lost.
 */
public enum OnMaxHold {

    /** No further action. The hold continues. */
    WARN,

    /**
     * Asks the owner to stop.
     *
     * <p>A thread is interrupted once while it holds the lock. The hold continues and is renewed as before, until the thread
     * unlocks. A {@link Lease} is lost at once for its owner: {@link LockEvent.Lost} is raised, {@link Lease#onLost} runs, and
     * the lease is no longer renewed. Others can acquire the lock when the owner closes the lease, or when the lease at the
     * store ends.
     */
    INTERRUPT,

    /**
     * Stops the renewal of the hold. A reentrant acquire or {@link Lease#extend} can no longer move its end. The hold stays
     * valid until that end. It is then lost like any other hold, if the owner still holds it.
     */
    STOP_RENEWING
}
