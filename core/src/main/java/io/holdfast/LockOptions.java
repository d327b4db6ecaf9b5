package io.holdfast;

import io.holdfast.internal.access.Durations;
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
 * @param linger for how long this client keeps the lock after its last owner has left; zero to release it at once
 * @param safety where a grant has to be before it counts; empty for the client's
 */
public record LockOptions(
        Optional<Duration> lease,
        Optional<Duration> maxHold,
        OnMaxHold onMaxHold,
        boolean reentrant,
        WaitStrategy waiting,
        Duration linger,
        Optional<Safety> safety) {

    private static final LockOptions DEFAULTS = new LockOptions(
            Optional.empty(),
            Optional.empty(),
            OnMaxHold.WARN,
            true,
            WaitStrategy.SIGNALS,
            Duration.ZERO,
            Optional.empty());

    /**
     * Checks the values.
     *
     * @throws IllegalArgumentException if one is out of range, if something is to be done after no {@code maxHold}, if the
     *     linger is longer than a third of the lease, or if there is one beside {@link WaitStrategy#POLLING}
     */
    public LockOptions {
        lease.ifPresent(value -> Durations.requireLease("lease", value));
        maxHold.ifPresent(value -> Durations.requirePositive("maxHold", value));
        if (maxHold.isEmpty() && onMaxHold != OnMaxHold.WARN) {
            throw new IllegalArgumentException("onMaxHold " + onMaxHold + " needs a maxHold: say after how long");
        }
        Durations.requireLinger("linger", linger, lease);
        if (!linger.isZero() && waiting == WaitStrategy.POLLING) {
            throw new IllegalArgumentException("linger " + linger + " goes with no waiting " + waiting
                    + ": where messages do not arrive nobody could ask for the lock back; leave one of them out");
        }
    }

    /** Nothing different. */
    public static LockOptions defaults() {
        return DEFAULTS;
    }

    /** The same, with this watchdog lease: 100 ms to 365 days. */
    public LockOptions withLease(Duration value) {
        return new LockOptions(Optional.of(value), maxHold, onMaxHold, reentrant, waiting, linger, safety);
    }

    /** The same, with this time after which a hold is reported, and nothing else is done. */
    public LockOptions withMaxHold(Duration value) {
        return withMaxHold(value, OnMaxHold.WARN);
    }

    /** The same, with this time after which a hold is reported, and what is done then besides. */
    public LockOptions withMaxHold(Duration value, OnMaxHold then) {
        return new LockOptions(lease, Optional.of(value), then, reentrant, waiting, linger, safety);
    }

    /**
     * The same, but whether a thread that holds the lock may lock it again; by default it may. If not, each method that
     * would throws {@link IllegalStateException}, as waiting would be waiting for itself. It is asked of the lock object
     * that is entered with, not of the one that was locked. Leases are never entered again.
     */
    public LockOptions withReentrant(boolean value) {
        return new LockOptions(lease, maxHold, onMaxHold, value, waiting, linger, safety);
    }

    /** The same, with this way to wait; by default {@link WaitStrategy#SIGNALS}. Both ways may be used for one name. */
    public LockOptions withWaiting(WaitStrategy value) {
        return new LockOptions(lease, maxHold, onMaxHold, reentrant, value, linger, safety);
    }

    /**
     * The same, but the client keeps the lock for this time after its last owner has left, if nobody waits for it: an owner
     * that comes meanwhile takes it without a store call. By default zero: it is released at once. At most a third of the
     * lease, whether that is the lock's own or the client's.
     *
     * <p>While it is kept nobody holds it, and nothing of it can be lost. Another client that asks for it gets it as soon as
     * its message has arrived, also by {@link DistributedLock#tryLock()}, which then waits for up to 50 ms. Where the message
     * is lost its next poll sends another; where none arrives it waits for the rest of the time, and where this process dies,
     * for the rest of the lease. A name that others want is kept no more for some time, each time for longer.
     *
     * <p>Kept is what was acquired without a lease of its own. Fair locks, read/write locks, semaphores, segmented locks,
     * elections and quorum locks refuse the option, and so do stores without messages. Beside Redisson
     * ({@code interop=redisson}) nothing is kept.
     *
     * @throws IllegalArgumentException if it is negative or longer than that, or if the lock waits by polling
     */
    public LockOptions withLinger(Duration value) {
        return new LockOptions(lease, maxHold, onMaxHold, reentrant, waiting, value, safety);
    }

    /**
     * The same, with this place where a grant has to be before it counts, which may be more than the client's, or less.
     * Owners of one client that want different ones do not hand the lock on to each other: the next one asks the store, as
     * another client would; {@link DistributedLock#tryLock()} may find the lock taken while what the others
     * {@linkplain #withLinger kept} is being given back. A thread that holds the lock enters it again as it is.
     */
    public LockOptions withSafety(Safety value) {
        return new LockOptions(lease, maxHold, onMaxHold, reentrant, waiting, linger, Optional.of(value));
    }
}
