package io.holdfast.support.record;

import io.holdfast.spi.Share.Mode;
import io.holdfast.spi.TenureId;

/**
 * An entry in the wait queue of a name. All times are microseconds of the store's clock.
 *
 * @param claimant the tenure that waits
 * @param mode the requested mode
 * @param fair {@code true} if the name is always assigned to it in its turn, and no later request may barge ahead of it
 * @param front {@code true} if it is ahead of all others: a reader waits to write, and all others wait for that reader
 * @param arrival the time of arrival, which no other entry of the name has
 * @param refreshed the time of the last request that was written
 * @param lease the requested lease
 * @param tokens the requested number of tokens
 * @param permits the requested number of permits of a semaphore; 0 for a name that is not a semaphore
 */
public record Place(
        Claimant claimant,
        Mode mode,
        boolean fair,
        boolean front,
        long arrival,
        long refreshed,
        long lease,
        long tokens,
        int permits) {

    /** The time for which an entry stays after a request, at least. */
    private static final long LIFE = 60_000_000;

    /** The time after a written request for which further requests are not written, so that most polls write nothing. */
    private static final long FRESH = LIFE / 4;

    /** The lead of an entry at the front. The resulting positions are negative before the year 2112. */
    private static final long LEAD = 1L << 52;

    /** Returns the tenure that waits. */
    public TenureId tenure() {
        return claimant.tenure();
    }

    /** Returns the number that orders the places, and that identifies this place to its client. It is never 0. */
    public long position() {
        return front ? arrival - LEAD : arrival;
    }

    /** Returns {@code true} if no request has arrived within the life of a place, not even one that was not written. */
    boolean isAbandoned(long now) {
        return now - refreshed > LIFE + FRESH;
    }

    /** Returns {@code true} if a further request changes nothing that has to be written. */
    boolean isStillFresh(Place request) {
        return request.withRefreshed(refreshed).equals(this) && request.refreshed - refreshed <= FRESH;
    }

    Place withPermits(int count) {
        return new Place(claimant, mode, fair, front, arrival, refreshed, lease, tokens, count);
    }

    private Place withRefreshed(long time) {
        return new Place(claimant, mode, fair, front, arrival, time, lease, tokens, permits);
    }
}
