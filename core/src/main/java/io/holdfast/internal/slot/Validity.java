package io.holdfast.internal.slot;

import java.util.concurrent.TimeUnit;

/**
 * The time until which a tenure is certain to be held by this client, as proven by one positive reply.
 *
 * <h2>Invariants</h2>
 *
 * <ol>
 *   <li>The deadline is the time before the request was sent, plus the lease, minus a margin. So it passes before the lease
 *       expires at the store.
 *   <li>Two clocks have to agree that the deadline has not passed. {@code nanoTime} never steps, but stops while a machine is
 *       suspended. The wall clock can step, but continues during a suspend.
 *   <li>When the clocks disagree by more than the margin, the tenure is <em>suspect</em>. It may be lost, and only a renewal
 *       that is sent afterward can prove that it is not.
 * </ol>
 *
 * <p>This is the rule of Gray and Cheriton (SOSP 1989): the leaseholder shortens its lease by the delay of the request and by
 * an allowance for clock error.
 *
 * @param sent {@code nanoTime} before the request
 * @param requested the requested lease, in nanoseconds
 * @param lease the lease that the reply proves, in nanoseconds; it is shorter if the store has confirmed less, for example
 *     because a session ends earlier
 * @param deadline the {@code nanoTime} from which the tenure counts as lost
 * @param skew the wall clock minus {@code nanoTime} before the request, in nanoseconds
 */
public record Validity(long sent, long requested, long lease, long deadline, long skew) {

    static final Validity NONE = new Validity(0, 0, 0, Long.MIN_VALUE, 0);

    /** Returns the validity of a lease, of which the store may have confirmed less than was requested. */
    public static Validity of(long sent, long wallMillis, long requested, long lease) {
        return new Validity(sent, requested, lease, sent + lease - HoldSpec.margin(lease), skew(sent, wallMillis));
    }

    public static long skew(long nanos, long wallMillis) {
        return TimeUnit.MILLISECONDS.toNanos(wallMillis) - nanos;
    }

    public boolean unexpired(long now) {
        return proven() && now - deadline < 0;
    }

    /**
     * Returns the time until which the tenure is held if all of the requested lease is proven. It is later than the deadline if
     * the store has confirmed less.
     */
    long end() {
        long wanted = sent + requested - HoldSpec.margin(requested);
        return wanted - deadline > 0 ? wanted : deadline;
    }

    boolean proven() {
        return lease > 0;
    }

    /** Returns {@code true} if the deadline has not passed by either clock. */
    public boolean lasts(long now, long wallMillis) {
        long ahead = Math.max(0, skew(now, wallMillis) - skew);
        return unexpired(now) && now + ahead - deadline < 0;
    }

    public boolean suspect(long now, long wallMillis) {
        return Math.abs(skew(now, wallMillis) - skew) > HoldSpec.margin(lease);
    }

    public long remaining(long now) {
        return unexpired(now) ? deadline - now : 0;
    }

    /**
     * Returns this validity, with the deadline of an earlier one if that deadline is later. A store never shortens a lease.
     *
     * <p>The skew of the earlier one is taken over as well, so that small clock steps add up. After a larger step, the earlier
     * validity is ignored, even if the skew does not yet make the tenure suspect.
     */
    Validity orLater(Validity before) {
        boolean stepped = Math.abs(skew - before.skew) > HoldSpec.margin(lease) / 2;
        return before.proven() && before.deadline - deadline > 0 && !stepped
                ? new Validity(sent, requested, lease, before.deadline, before.skew)
                : this;
    }

    Validity endingAt(long end) {
        return end - deadline < 0 ? new Validity(sent, requested, lease, end, skew) : this;
    }
}
