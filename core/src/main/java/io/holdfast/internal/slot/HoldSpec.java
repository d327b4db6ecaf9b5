package io.holdfast.internal.slot;

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
 * @param maxHold how old the hold may get
 * @param waiting how to wait
 * @param share what to hold of the name
 * @param safety where it has to be before it counts
 */
public record HoldSpec(
        Duration lease,
        long nanos,
        boolean watchdog,
        long keep,
        long linger,
        MaxHold maxHold,
        Waiting waiting,
        Share share,
        Safety safety) {

    /** How to wait: in a place that is woken, in no place and without signals, or in a place that the name is assigned to. */
    public enum Waiting {
        BARGING,
        POLLING,
        FAIR
    }

    private static final long MARGIN_FLOOR = 2_000_000;
    private static final long MARGIN_SHARE = 100;

    public static HoldSpec renewed(Duration lease, MaxHold maxHold, Waiting waiting) {
        return new HoldSpec(lease, lease.toNanos(), true, 0, 0, maxHold, waiting, Share.LOCK, Safety.async());
    }

    /** The same, for this share. */
    public HoldSpec of(Share wanted) {
        return new HoldSpec(lease, nanos, watchdog, keep, linger, maxHold, waiting, wanted, safety);
    }

    /** The same, to be granted where this says. */
    public HoldSpec with(Safety wanted) {
        return wanted.equals(safety)
                ? this
                : new HoldSpec(lease, nanos, watchdog, keep, linger, maxHold, waiting, share, wanted);
    }

    /** The same for a part of a hold, which alone may get old. */
    public HoldSpec unlimited() {
        return new HoldSpec(lease, nanos, watchdog, keep, linger, MaxHold.NONE, waiting, share, safety);
    }

    /** The same, but the name is to be kept for so long at least. */
    public HoldSpec keeping(Duration minHold) {
        return new HoldSpec(lease, nanos, watchdog, minHold.toNanos(), 0, maxHold, waiting, share, safety);
    }

    /** The same, but the name may be kept for so long when nobody owns it any more. */
    public HoldSpec lingering(Duration time) {
        return new HoldSpec(lease, nanos, watchdog, keep, time.toNanos(), maxHold, waiting, share, safety);
    }

    /** What to ask the store for when the name is acquired; later on the lease will do. */
    HoldSpec first() {
        return keep <= nanos
                ? this
                : new HoldSpec(Duration.ofNanos(keep), keep, watchdog, keep, 0, maxHold, waiting, share, safety);
    }

    /** Whether a tenure that is held already will do as it is. */
    boolean takesAny() {
        return watchdog && keep == 0;
    }

    public HoldSpec ending(Duration ownLease) {
        return new HoldSpec(ownLease, ownLease.toNanos(), false, 0, 0, maxHold, waiting, share, safety);
    }

    /** A time that doubles each time, up to the most. */
    public static long doubled(long first, int times, long most) {
        return Math.min(first << Math.min(times, 16), most);
    }

    /** The lease that is valid for so long, its margin taken off. */
    static long leaseFor(long validNanos) {
        return (validNanos + MARGIN_FLOOR) / (MARGIN_SHARE - 1) * MARGIN_SHARE;
    }

    /** What is taken off a lease for clocks that run differently: 1 % and 2 ms. */
    public static long margin(long leaseNanos) {
        return leaseNanos / MARGIN_SHARE + MARGIN_FLOOR;
    }
}
