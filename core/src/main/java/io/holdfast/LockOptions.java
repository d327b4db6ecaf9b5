package io.holdfast;

import io.holdfast.internal.Durations;
import java.time.Duration;
import java.util.Optional;

/**
 * What one lock does differently from its client's defaults.
 *
 * @param lease how long the store keeps a watchdog hold without renewal, 100 ms to 365 days; empty for the client's
 * @param maxHold after which a hold is reported with {@link LockEvent.HeldTooLong}; empty for the client's, with what it
 *     then does
 * @param onMaxHold what is done then besides, if {@code maxHold} is given
 * @param reentrant whether a thread that holds the lock may lock it again
 * @param waiting how one that waits learns that the lock is free
 */
public record LockOptions(
        Optional<Duration> lease,
        Optional<Duration> maxHold,
        OnMaxHold onMaxHold,
        boolean reentrant,
        WaitStrategy waiting) {

    private static final LockOptions DEFAULTS =
            new LockOptions(Optional.empty(), Optional.empty(), OnMaxHold.WARN, true, WaitStrategy.SIGNALS);

    /**
     * Checks the values.
     *
     * @throws IllegalArgumentException if one is out of range, or if something is to be done after no {@code maxHold}
     */
    public LockOptions {
        lease.ifPresent(value -> Durations.requireLease("lease", value));
        maxHold.ifPresent(value -> Durations.requirePositive("maxHold", value));
        if (maxHold.isEmpty() && onMaxHold != OnMaxHold.WARN) {
            throw new IllegalArgumentException("onMaxHold " + onMaxHold + " needs a maxHold: say after how long");
        }
    }

    /** Nothing different. */
    public static LockOptions defaults() {
        return DEFAULTS;
    }

    /** The same, with this watchdog lease: 100 ms to 365 days. */
    public LockOptions withLease(Duration value) {
        return new LockOptions(Optional.of(value), maxHold, onMaxHold, reentrant, waiting);
    }

    /** The same, with this time after which a hold is reported, and nothing else is done. */
    public LockOptions withMaxHold(Duration value) {
        return withMaxHold(value, OnMaxHold.WARN);
    }

    /** The same, with this time after which a hold is reported, and what is done then besides. */
    public LockOptions withMaxHold(Duration value, OnMaxHold then) {
        return new LockOptions(lease, Optional.of(value), then, reentrant, waiting);
    }

    /**
     * The same, but whether a thread that holds the lock may lock it again; by default it may. If not, each method that
     * would throws {@link IllegalStateException}, as waiting would be waiting for itself. It is asked of the lock object
     * that is entered with, not of the one that was locked. Leases are never entered again.
     */
    public LockOptions withReentrant(boolean value) {
        return new LockOptions(lease, maxHold, onMaxHold, value, waiting);
    }

    /** The same, with this way to wait; by default {@link WaitStrategy#SIGNALS}. Both ways may be used for one name. */
    public LockOptions withWaiting(WaitStrategy value) {
        return new LockOptions(lease, maxHold, onMaxHold, reentrant, value);
    }
}
