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
     * Stops the renewal of the hold. A reentrant acquire or {@link Lease#extend} can no longer move its end. The hold stays
     * valid until that end. It is then lost like any other hold, if the owner still holds it.
     */
    STOP_RENEWING
}
