package io.holdfast.support.record;

import io.holdfast.spi.Share.Mode;
import io.holdfast.spi.TenureId;

/**
 * An entry in the wait queue of a name. All times are microseconds of the store's clock.
 *
 * @param claimant the tenure that waits
 * @param mode the requested mode
 * @param fair {@code true} if the name is always assigned to it in its turn, and no later request may barge ahead of it
 * @param arrival the time of arrival, which orders the entries, and identifies this one to its client. No other entry of the
 *     name has it, and it is never 0
 * @param refreshed the time of the last request that was written
 * @param lease the requested lease
 * @param tokens the requested number of tokens
 * @param permits the requested number of permits of a semaphore; 0 for a name that is not a semaphore
 */
public record Place(
        Claimant claimant,
        Mode mode,
        boolean fair,
        long arrival,
        long refreshed,
        long lease,
        long tokens,
        int permits) {

    /** The time for which an entry stays after a request, at least. */
    private static final long LIFE = 60_000_000;

    /** The time after a written request for which further requests are not written, so that most polls write nothing. */
    private static final long FRESH = LIFE / 4;

    /** Returns the tenure that waits. */
    public TenureId tenure() {
        return claimant.tenure();
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
        return new Place(claimant, mode, fair, arrival, refreshed, lease, tokens, count);
    }

    private Place withRefreshed(long time) {
        return new Place(claimant, mode, fair, arrival, time, lease, tokens, permits);
    }
}
