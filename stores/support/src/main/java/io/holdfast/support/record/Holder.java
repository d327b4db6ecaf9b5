package io.holdfast.support.record;

import io.holdfast.spi.Share.Mode;
import io.holdfast.spi.TenureId;

/**
 * A holder of a name.
 *
 * @param claimant the tenure that holds it
 * @param mode the mode in which it holds the name
 * @param expires the time at which its lease expires; {@link LockRecord#NEVER} if the hold lasts as long as its session
 * @param keptUntil the time by the wall clock until which the hold stays if its session ends before; 0 if it ends with its
 *     session
 * @param permits the number of permits of a semaphore that it holds; 0 for a name that is not a semaphore
 * @param grant its tokens
 * @param unclaimed {@code true} if the name was assigned to the tenure, and no request of the tenure has arrived since
 */
public record Holder(
        Claimant claimant, Mode mode, long expires, long keptUntil, int permits, Grant grant, boolean unclaimed) {

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
        long end = laterThan(before.expires, expires);
        return new Holder(claimant, mode, end, keptUntil, before.permits, grant, unclaimed);
    }

    /** Returns a copy that expires at the given time, or a moment later than before if that is later. */
    Holder claimedUntil(long time) {
        return new Holder(claimant, mode, laterThan(expires, time), keptUntil, permits, grant, false);
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
        return new Holder(claimant, mode, time, keptUntil, permits, grant, unclaimed);
    }

    /** Returns a copy that stays until the given time by the wall clock, even if its session ends. The first such time counts. */
    Holder keptUntil(long wall) {
        return new Holder(claimant, mode, expires, keptUntil == 0 ? wall : keptUntil, permits, grant, unclaimed);
    }

    /** Returns a copy without a session, which stays for as long as it is kept, or until the given time of the record. */
    Holder detached(long time) {
        return new Holder(claimant.withoutSession(), mode, time, keptUntil, permits, grant, false);
    }

    /** Returns {@code true} if its session has ended, and the time until which it is kept is over. */
    boolean isNoLongerKept(long wall) {
        return keptUntil != 0 && claimant.session().isEmpty() && wall >= keptUntil;
    }

    Holder granted(Grant fresh) {
        return new Holder(claimant, mode, expires, keptUntil, permits, fresh, unclaimed);
    }
}
