package io.holdfast.internal;

import io.holdfast.Safety;
import io.holdfast.spi.Share;
import java.time.Duration;

/**
 * What an acquirer wants: for how long to hold, and how to wait.
 *
 * @param lease what the store is asked for
 * @param nanos the same
 * @param watchdog whether the lease is renewed for as long as the owner lives; if not, the hold ends with it
 * @param keep nanoseconds for which the name is kept at least, even if the owner is done before; 0 for no longer than needed
 * @param linger nanoseconds for which the name may be kept when nobody owns it any more; 0 for none
 * @param limit how old the hold may get
 * @param way how to wait
 * @param share what to hold of the name
 * @param safety where it has to be before it counts
 */
record Term(
        Duration lease,
        long nanos,
        boolean watchdog,
        long keep,
        long linger,
        Limit limit,
        Way way,
        Share share,
        Safety safety) {

    /** How to wait: in a place that is woken, in no place and without signals, or in a place that the name is assigned to. */
    enum Way {
        BARGING,
        POLLING,
        FAIR
    }

    private static final long MARGIN_FLOOR = 2_000_000;
    private static final long MARGIN_SHARE = 100;

    static Term renewed(Duration lease, Limit limit, Way way) {
        return new Term(lease, lease.toNanos(), true, 0, 0, limit, way, Share.LOCK, Safety.async());
    }

    /** The same, for this share. */
    Term of(Share wanted) {
        return new Term(lease, nanos, watchdog, keep, linger, limit, way, wanted, safety);
    }

    /** The same, to be granted where this says. */
    Term with(Safety wanted) {
        return wanted.equals(safety) ? this : new Term(lease, nanos, watchdog, keep, linger, limit, way, share, wanted);
    }

    /** The same for a part of a hold, which alone may get old. */
    Term unlimited() {
        return new Term(lease, nanos, watchdog, keep, linger, Limit.NONE, way, share, safety);
    }

    /** The same, but the name is to be kept for so long at least. */
    Term keeping(Duration minHold) {
        return new Term(lease, nanos, watchdog, minHold.toNanos(), 0, limit, way, share, safety);
    }

    /** The same, but the name may be kept for so long when nobody owns it any more. */
    Term lingering(Duration time) {
        return new Term(lease, nanos, watchdog, keep, time.toNanos(), limit, way, share, safety);
    }

    /** What to ask the store for when the name is acquired; later on the lease will do. */
    Term first() {
        return keep <= nanos
                ? this
                : new Term(Duration.ofNanos(keep), keep, watchdog, keep, 0, limit, way, share, safety);
    }

    /** Whether a tenure that is held already will do as it is. */
    boolean takesAny() {
        return watchdog && keep == 0;
    }

    Term ending(Duration ownLease) {
        return new Term(ownLease, ownLease.toNanos(), false, 0, 0, limit, way, share, safety);
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
