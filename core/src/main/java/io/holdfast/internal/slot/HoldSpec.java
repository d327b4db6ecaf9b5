package io.holdfast.internal.slot;

import io.holdfast.internal.access.Durations;
import io.holdfast.spi.Share;
import java.time.Duration;

/**
 * The parameters of an acquire: how long to hold the name, and how to wait for it.
 *
 * @param lease the lease to request from the store
 * @param nanos the same lease in nanoseconds
 * @param watchdog whether the lease is renewed while the owner is alive; otherwise, the hold ends with the lease
 * @param minHold the minimum time, in nanoseconds, for which the name is held even if the owner releases it earlier; 0 for no
 *     minimum
 * @param linger the maximum time, in nanoseconds, for which the tenure may linger without an owner; 0 for none
 * @param maxHold the age at which the hold is reported, and the action that follows
 * @param waiting how to wait
 * @param share the share of the name to hold
 */
public record HoldSpec(
        Duration lease,
        long nanos,
        boolean watchdog,
        long minHold,
        long linger,
        MaxHold maxHold,
        Waiting waiting,
        Share share) {

    /** A way to wait. */
    public enum Waiting {
        /** The waiter has a position in the queue, and is notified when the name is free. Newcomers may barge. */
        BARGING,
        /** The waiter has a position in the queue, and the name is assigned to it (first come, first served). */
        FAIR
    }

    private static final long MARGIN_FLOOR = 2_000_000;
    private static final long MARGIN_SHARE = 100;

    public static HoldSpec renewed(Duration lease, MaxHold maxHold, Waiting waiting) {
        return new HoldSpec(lease, lease.toNanos(), true, 0, 0, maxHold, waiting, Share.LOCK);
    }

    /** Returns a copy of this spec for the given share. */
    public HoldSpec withShare(Share newShare) {
        return new HoldSpec(lease, nanos, watchdog, minHold, linger, maxHold, waiting, newShare);
    }

    /**
     * Returns a copy of this spec without a maximum age. It is for a hold that is a part of another one: the age of the part
     * alone is not limited.
     */
    public HoldSpec withoutMaxHold() {
        return new HoldSpec(lease, nanos, watchdog, minHold, linger, MaxHold.NONE, waiting, share);
    }

    /** Returns a copy of this spec that holds the name for at least the given time. */
    public HoldSpec withMinHold(Duration minHold) {
        return new HoldSpec(lease, nanos, watchdog, minHold.toNanos(), 0, maxHold, waiting, share);
    }

    /** Returns a copy of this spec that lets the tenure linger without an owner for at most the given time. */
    public HoldSpec withLinger(Duration time) {
        return new HoldSpec(lease, nanos, watchdog, minHold, time.toNanos(), maxHold, waiting, share);
    }

    /** Returns the spec of the acquire, whose lease covers the minimum time. Later renewals use the usual lease. */
    HoldSpec initial() {
        return minHold <= nanos
                ? this
                : new HoldSpec(Duration.ofNanos(minHold), minHold, watchdog, minHold, 0, maxHold, waiting, share);
    }

    /** Returns the minimum time if the lease covers it, as in the first request for the owner; zero in the usual renewals. */
    public Duration coveredMinHold() {
        return minHold <= nanos ? Duration.ofNanos(minHold) : Duration.ZERO;
    }

    /** Returns {@code true} if any held tenure is acceptable, whatever is left of its lease. */
    boolean acceptsAnyTenure() {
        return watchdog && minHold == 0;
    }

    public HoldSpec withOwnLease(Duration ownLease) {
        return new HoldSpec(ownLease, ownLease.toNanos(), false, 0, 0, maxHold, waiting, share);
    }

    /** Returns the end of a hold that was just granted; {@link Durations#NEVER} if the watchdog renews it. */
    long endOf(Validity proven) {
        return watchdog ? Durations.NEVER : proven.end();
    }

    /** Returns a time that doubles with each repetition, up to a maximum. */
    public static long doubled(long first, int times, long max) {
        return Math.min(first << Math.min(times, 16), max);
    }

    /** Returns the lease that is still valid for the given time after its margin is subtracted. */
    static long leaseFor(long validNanos) {
        long share = MARGIN_SHARE - 1;
        return (validNanos + MARGIN_FLOOR + share - 1) / share * MARGIN_SHARE;
    }

    /** Returns the safety margin of a lease, which covers clocks that run at different rates: 1 % and 2 ms. */
    public static long margin(long leaseNanos) {
        return leaseNanos / MARGIN_SHARE + MARGIN_FLOOR;
    }
}
