package io.holdfast.internal.slot;

import java.util.concurrent.TimeUnit;

/**
 * The time until which a tenure is certain to be held by this client, as proven by one positive reply.
 *
 * <h2>Invariants</h2>
 *
 * <ol>
 *   <li>The deadline counts from before the request was sent, less a margin. So it passes before the store's lease does.
 *   <li>Two clocks have to agree that the deadline lies ahead. {@code nanoTime} never steps, but stands still while a machine
 *       is suspended. The wall clock goes on then.
 *   <li>When the clocks part by more than the margin, the tenure is <em>suspect</em>. It may be lost, and only a renewal that
 *       is sent afterwards can prove that it is not.
 * </ol>
 *
 * <p>This is the rule for the leaseholder of Gray and Cheriton (SOSP 1989): its lease is the shorter one, by the delay of the
 * request and an allowance for the clocks.
 *
 * @param sent {@code nanoTime} before the request
 * @param lease the lease that the store was asked for, in nanoseconds
 * @param deadline {@code nanoTime} from which on the tenure is lost
 * @param skew the wall clock minus {@code nanoTime} before the request, in nanoseconds
 */
public record Validity(long sent, long lease, long deadline, long skew) {

    static final Validity NONE = new Validity(0, 0, Long.MIN_VALUE, 0);

    public static Validity of(long sent, long wallMillis, long lease) {
        return new Validity(sent, lease, sent + lease - HoldSpec.margin(lease), skew(sent, wallMillis));
    }

    public static long skew(long nanos, long wallMillis) {
        return TimeUnit.MILLISECONDS.toNanos(wallMillis) - nanos;
    }

    public boolean unexpired(long now) {
        return proven() && now - deadline < 0;
    }

    boolean proven() {
        return lease > 0;
    }

    public boolean suspect(long now, long wallMillis) {
        return Math.abs(skew(now, wallMillis) - skew) > HoldSpec.margin(lease);
    }

    public long remaining(long now) {
        return unexpired(now) ? deadline - now : 0;
    }

    /**
     * Returns this validity with the deadline of an earlier one if that is later, because a store never shortens a lease.
     *
     * <p>The skew of the earlier one comes along, because small steps of a clock add up. After a larger step, nothing of the
     * earlier one counts, even before the skew makes the tenure suspect.
     */
    Validity orLater(Validity before) {
        boolean stepped = Math.abs(skew - before.skew) > HoldSpec.margin(lease) / 2;
        return before.proven() && before.deadline - deadline > 0 && !stepped
                ? new Validity(sent, lease, before.deadline, before.skew)
                : this;
    }

    Validity endingAt(long end) {
        return end - deadline < 0 ? new Validity(sent, lease, end, skew) : this;
    }
}
