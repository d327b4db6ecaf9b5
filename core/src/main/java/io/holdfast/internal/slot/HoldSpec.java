package io.holdfast.internal.slot;

import io.holdfast.spi.Share;
import java.time.Duration;

/**
 * The parameters of an acquire: for how long to hold the name, and how to wait for it.
 *
 * @param lease the lease that the store is asked for
 * @param nanos the same lease in nanoseconds
 * @param watchdog whether the lease is renewed for as long as the owner lives; otherwise, the hold ends with the lease
 * @param keep the minimum time for which the name is kept, in nanoseconds, even if the owner has finished earlier; 0 for no
 *     longer than needed
 * @param linger the time for which the name may linger without an owner, in nanoseconds; 0 for none
 * @param maxHold the age at which the hold is reported, and the action that follows
 * @param waiting the way to wait
 * @param share the share of the name to hold
 */
public record HoldSpec(
        Duration lease,
        long nanos,
        boolean watchdog,
        long keep,
        long linger,
        MaxHold maxHold,
        Waiting waiting,
        Share share) {

    /**
     * The way to wait: in a position that is woken, without a position and without signals, or in a position to which the name
     * is assigned.
     */
    public enum Waiting {
        BARGING,
        POLLING,
        FAIR
    }

    private static final long MARGIN_FLOOR = 2_000_000;
    private static final long MARGIN_SHARE = 100;

    public static HoldSpec renewed(Duration lease, MaxHold maxHold, Waiting waiting) {
        return new HoldSpec(lease, lease.toNanos(), true, 0, 0, maxHold, waiting, Share.LOCK);
    }

    /** Returns a copy of this spec for the given share. */
    public HoldSpec of(Share wanted) {
        return new HoldSpec(lease, nanos, watchdog, keep, linger, maxHold, waiting, wanted);
    }

    /**
     * Returns a copy of this spec without a maximum age, for a hold that is a part of another one. The age of the part alone is
     * not limited.
     */
    public HoldSpec unlimited() {
        return new HoldSpec(lease, nanos, watchdog, keep, linger, MaxHold.NONE, waiting, share);
    }

    /** Returns a copy of this spec that keeps the name for at least the given time. */
    public HoldSpec keeping(Duration minHold) {
        return new HoldSpec(lease, nanos, watchdog, minHold.toNanos(), 0, maxHold, waiting, share);
    }

    /** Returns a copy of this spec that lets the name linger without an owner for at most the given time. */
    public HoldSpec lingering(Duration time) {
        return new HoldSpec(lease, nanos, watchdog, keep, time.toNanos(), maxHold, waiting, share);
    }

    /**
     * Returns the spec of the first request for the name, whose lease covers the minimum time. Later renewals use the usual
     * lease.
     */
    HoldSpec first() {
        return keep <= nanos
                ? this
                : new HoldSpec(Duration.ofNanos(keep), keep, watchdog, keep, 0, maxHold, waiting, share);
    }

    /** Returns {@code true} if any tenure that is already held will do as it is. */
    boolean takesAny() {
        return watchdog && keep == 0;
    }

    public HoldSpec ending(Duration ownLease) {
        return new HoldSpec(ownLease, ownLease.toNanos(), false, 0, 0, maxHold, waiting, share);
    }

    /** Returns a time that doubles with each repetition, up to a maximum. */
    public static long doubled(long first, int times, long most) {
        return Math.min(first << Math.min(times, 16), most);
    }

    /** Returns the lease that is valid for the given time after its margin is subtracted. */
    static long leaseFor(long validNanos) {
        return (validNanos + MARGIN_FLOOR) / (MARGIN_SHARE - 1) * MARGIN_SHARE;
    }

    /** Returns the margin of a lease for clocks that run at different rates: 1 % and 2 ms. */
    public static long margin(long leaseNanos) {
        return leaseNanos / MARGIN_SHARE + MARGIN_FLOOR;
    }
}
