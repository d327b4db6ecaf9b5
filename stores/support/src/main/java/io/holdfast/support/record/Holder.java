package io.holdfast.support.record;

import io.holdfast.spi.Share.Mode;
import io.holdfast.spi.TenureId;

/**
 * A holder of a name.
 *
 * @param claimant the tenure that holds it
 * @param mode the mode in which it holds the name
 * @param expires the time at which its lease expires; {@link LockRecord#NEVER} if the hold lasts as long as its session
 * @param permits the number of permits of a semaphore that it holds; 0 for a name that is not a semaphore
 * @param grant its tokens
 * @param unclaimed {@code true} if the name was assigned to the tenure, and no request of the tenure has arrived since
 */
public record Holder(Claimant claimant, Mode mode, long expires, int permits, Grant grant, boolean unclaimed) {

    /** Returns the tenure that holds the name. */
    public TenureId tenure() {
        return claimant.tenure();
    }

    boolean isOver(long now) {
        return now >= expires;
    }

    /**
     * Returns a copy of this hold that replaces an earlier one of the same tenure. It has the same permits, and expires later. So a
     * late duplicate never shortens a lease.
     */
    Holder following(Holder before) {
        return new Holder(claimant, mode, laterThan(before.expires, expires), before.permits, grant, unclaimed);
    }

    /** Returns a copy that expires at the given time, or a moment later than before if that is later. */
    Holder claimedUntil(long time) {
        return new Holder(claimant, mode, laterThan(expires, time), permits, grant, false);
    }

    /**
     * Returns the new end of a hold. It is never the former one: where the server has no clock, a client ends a hold that it has
     * watched for its whole lease, and knows by the end that it was renewed.
     */
    private static long laterThan(long former, long time) {
        return Math.max(time, former == LockRecord.NEVER ? former : former + 1);
    }

    /** Returns a copy that expires at the given time. */
    public Holder expiringAt(long time) {
        return new Holder(claimant, mode, time, permits, grant, unclaimed);
    }

    /** Returns a copy that lasts until the given time, whatever happens to its session. */
    Holder detached(long time) {
        return new Holder(claimant.withoutSession(), mode, time, permits, grant, false);
    }

    Holder granted(Grant fresh) {
        return new Holder(claimant, mode, expires, permits, fresh, unclaimed);
    }
}
