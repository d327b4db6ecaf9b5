package io.holdfast.internal.slot;

import java.util.concurrent.TimeUnit;

/**
 * Until when a tenure is certain to be ours, as proven by one positive reply.
 *
 * <p>The deadline counts from before the request was sent, less a margin, so that it passes before the store's lease does.
 * Two clocks have to agree that it lies ahead: {@code nanoTime} never steps, but stands still while a machine is suspended;
 * the wall clock goes on then. When they part by more than the margin the tenure is <em>suspect</em>: it may be lost, and
 * only a renewal sent after that can tell.
 *
 * @param sent {@code nanoTime} before the request
 * @param lease what the store was asked for, in nanoseconds
 * @param deadline {@code nanoTime} from which on the tenure is lost
 * @param skew wall clock less {@code nanoTime} before the request, in nanoseconds
 */
public record Validity(long sent, long lease, long deadline, long skew) {

    static final Validity NONE = new Validity(0, 0, Long.MIN_VALUE, 0);

    public static Validity of(long sent, long wallMillis, long lease) {
        return new Validity(sent, lease, sent + lease - HoldSpec.margin(lease), skew(sent, wallMillis));
    }

    public static long skew(long nanos, long wallMillis) {
        return TimeUnit.MILLISECONDS.toNanos(wallMillis) - nanos;
    }

    public boolean alive(long now) {
        return proven() && now - deadline < 0;
    }

    boolean proven() {
        return lease > 0;
    }

    public boolean suspect(long now, long wallMillis) {
        return Math.abs(skew(now, wallMillis) - skew) > HoldSpec.margin(lease);
    }

    public long remaining(long now) {
        return alive(now) ? deadline - now : 0;
    }

    /**
     * With the deadline of an earlier one, if that is later: a store never shortens a lease. Its skew comes along, since
     * small steps add up; after a larger one nothing of it counts, before the skew makes the tenure suspect.
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
