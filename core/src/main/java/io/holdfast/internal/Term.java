package io.holdfast.internal;

import java.time.Duration;

/**
 * What an acquirer wants: for how long to hold, and how to wait.
 *
 * @param lease what the store is asked for
 * @param nanos the same
 * @param watchdog whether the lease is renewed for as long as the owner lives; if not, the hold ends with it
 * @param limit how old the hold may get
 * @param polling whether to wait without a place in the queue and without signals
 */
record Term(Duration lease, long nanos, boolean watchdog, Limit limit, boolean polling) {

    private static final long MARGIN_FLOOR = 2_000_000;
    private static final long MARGIN_SHARE = 100;

    static Term renewed(Duration lease, Limit limit, boolean polling) {
        return new Term(lease, lease.toNanos(), true, limit, polling);
    }

    Term ending(Duration ownLease) {
        return new Term(ownLease, ownLease.toNanos(), false, limit, polling);
    }

    /** A time that doubles each time, up to the most. */
    static long doubled(long first, int times, long most) {
        return Math.min(first << Math.min(times, 16), most);
    }

    /** The lease that is valid for so long, its margin taken off. */
    static long leaseFor(long validNanos) {
        return (validNanos + MARGIN_FLOOR) / (MARGIN_SHARE - 1) * MARGIN_SHARE;
    }

    /** What is taken off a lease for clocks that run differently: 1 % and 2 ms. */
    static long margin(long leaseNanos) {
        return leaseNanos / MARGIN_SHARE + MARGIN_FLOOR;
    }
}
