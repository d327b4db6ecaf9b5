package io.holdfast.internal;

import java.time.Duration;

/**
 * What an acquirer wants: for how long to hold, and how to wait.
 *
 * @param lease what the store is asked for
 * @param nanos the same
 * @param watchdog whether the lease is renewed for as long as the owner lives; if not, the hold ends with it
 * @param limit how old the hold may get
 * @param way how to wait
 */
record Term(Duration lease, long nanos, boolean watchdog, Limit limit, Way way) {

    /** How to wait: in a place that is woken, in no place and without signals, or in a place that the name is assigned to. */
    enum Way {
        BARGING,
        POLLING,
        FAIR
    }

    private static final long MARGIN_FLOOR = 2_000_000;
    private static final long MARGIN_SHARE = 100;

    static Term renewed(Duration lease, Limit limit, Way way) {
        return new Term(lease, lease.toNanos(), true, limit, way);
    }

    Term ending(Duration ownLease) {
        return new Term(ownLease, ownLease.toNanos(), false, limit, way);
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
