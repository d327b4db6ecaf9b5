package io.holdfast.internal.slot;

import io.holdfast.internal.access.Durations;
import io.holdfast.spi.StoreException;
import org.jspecify.annotations.Nullable;

/**
 * An outage of the store, as the waiters of one queue see it. Most queues never see one, so they share {@link #NONE}.
 *
 * @param since the time of the first request that failed
 * @param unconfirmedAt the time of the last grant that was not confirmed, unless one was confirmed since
 * @param cause the failure of the last request; null if it was answered
 */
record QueueOutage(long since, long unconfirmedAt, @Nullable StoreException cause) {

    static final QueueOutage NONE = new QueueOutage(0, Durations.NEVER, null);

    /** Returns the outage after an answer of the store. */
    QueueOutage answered() {
        return unconfirmedAt == Durations.NEVER ? NONE : new QueueOutage(since, unconfirmedAt, null);
    }

    /** Returns the outage after a grant that can be relied on. */
    QueueOutage confirmed() {
        return cause == null ? NONE : new QueueOutage(since, Durations.NEVER, cause);
    }

    /**
     * Returns the outage after a request that failed or had no answer. An unconfirmed grant is released, and other clients may hold
     * the name in between: that does not end the outage.
     */
    QueueOutage failed(StoreException failure, long requestedAt, long now, long limit) {
        boolean unconfirmed = unconfirmedAt != Durations.NEVER && now - unconfirmedAt < limit;
        return new QueueOutage(
                cause == null && !unconfirmed ? requestedAt : since,
                failure.effect() == StoreException.Effect.UNCONFIRMED ? now : unconfirmedAt,
                failure);
    }
}
