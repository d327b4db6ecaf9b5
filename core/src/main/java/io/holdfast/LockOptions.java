package io.holdfast;

import io.holdfast.internal.access.Durations;
import java.time.Duration;
import java.util.Optional;

/**
 * Options of one lock that differ from the defaults of its client.
 *
 * @param lease the lease of holds that the watchdog renews, 100 ms to 365 days; empty for the client's
 * @param maxHold the age at which a hold is reported with {@link LockEvent.HeldTooLong}; empty for the client's, together with
 *     the client's action
 * @param onMaxHold the action that follows the report, if {@code maxHold} is given
 * @param reentrant {@code true} if a thread that holds the lock may lock it again
 * @param linger the time for which this client keeps the lock after its last owner has released it; zero to release it at once
 */
public record LockOptions(
        Optional<Duration> lease, Optional<Duration> maxHold, OnMaxHold onMaxHold, boolean reentrant, Duration linger) {

    private static final LockOptions DEFAULTS =
            new LockOptions(Optional.empty(), Optional.empty(), OnMaxHold.WARN, true, Duration.ZERO);

    /**
     * Checks the values.
     *
     * @throws IllegalArgumentException if a value is out of range; if there is an action without a {@code maxHold}; or if the
     *     linger is longer than a third of the lease
     */
    public LockOptions {
        lease.ifPresent(value -> Durations.requireLease("lease", value));
        maxHold.ifPresent(value -> Durations.requirePositive("maxHold", value));
        if (maxHold.isEmpty() && onMaxHold != OnMaxHold.WARN) {
            throw new IllegalArgumentException("onMaxHold " + onMaxHold + " needs a maxHold: set the time limit");
        }
        Durations.requireLinger("linger", linger, lease);
    }

    /** Returns options without any difference from the client's defaults. */
    public static LockOptions defaults() {
        return DEFAULTS;
    }

    /** Returns a copy of these options with the given lease for the watchdog, 100 ms to 365 days. */
    public LockOptions withLease(Duration value) {
        return new LockOptions(Optional.of(value), maxHold, onMaxHold, reentrant, linger);
    }

    /** Returns a copy of these options with the given age at which a hold is reported. No further action follows. */
    public LockOptions withMaxHold(Duration value) {
        return withMaxHold(value, OnMaxHold.WARN);
    }

    /** Returns a copy of these options with the given age at which a hold is reported, and the action that follows. */
    public LockOptions withMaxHold(Duration value, OnMaxHold then) {
        return new LockOptions(lease, Optional.of(value), then, reentrant, linger);
    }

    /**
     * Returns a copy of these options that allows or forbids a thread that holds the lock to lock it again. The default is to
     * allow it.
     *
     * <p>If it is forbidden, each method that would add a level throws {@link IllegalStateException}, because the thread would
     * wait for itself. The option of the lock object that is entered counts, not that of the object through which the lock was
     * acquired. Leases are never reentrant.
     */
    public LockOptions withReentrant(boolean value) {
        return new LockOptions(lease, maxHold, onMaxHold, value, linger);
    }

    /**
     * Returns a copy of these options with the given linger. The default is zero, so the lock is released at once.
     *
     * <p>With a linger, the client keeps the lock for this time after its last owner has released it, if nobody waits for it.
     * An owner that arrives in this time acquires the lock without a store call. The linger is at most a third of the lease,
     * whether that is the lock's own lease or the client's.
     *
     * <p>While the lock lingers, no owner holds it, so no hold can be lost. When another client requests the lock, the store
     * sends a message to this client, which releases the lock at once. {@link DistributedLock#tryLock()} of the other client
     * waits up to 50 ms for that. If the message is lost, the next poll of the other client triggers another one. If no message
     * arrives, the other client waits for the rest of the linger; if this process has died, for the rest of the lease. After
     * another client has requested a lingering lock, the lock does not linger for a pause. The pause doubles each time
     * (exponential backoff, at most 60 s).
     *
     * <p>A lock lingers if it was acquired without a fixed lease. Fair locks, read/write locks, semaphores, segmented locks,
     * elections and quorum locks refuse the option. At stores without messages (MySQL, MariaDB, H2, MongoDB), with
     * a client of PostgreSQL that does not listen, and with {@code interop=redisson}, no lock lingers.
     *
     * @throws IllegalArgumentException if the linger is negative or too long
     */
    public LockOptions withLinger(Duration value) {
        return new LockOptions(lease, maxHold, onMaxHold, reentrant, value);
    }
}
