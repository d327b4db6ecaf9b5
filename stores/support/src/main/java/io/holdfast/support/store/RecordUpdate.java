package io.holdfast.support.store;

import io.holdfast.support.record.Decision;
import io.holdfast.support.record.LockRecord;
import io.holdfast.support.record.Moment;
import java.util.Optional;

/**
 * The decision of a request, as a function of the record and of the circumstances. A store may call it several times for one
 * request, because another writer may be faster.
 */
@FunctionalInterface
public interface RecordUpdate<R> {

    /**
     * Decides the request.
     *
     * @throws io.holdfast.spi.StoreException if it cannot be decided; nothing is written then
     */
    Decision<R> decide(LockRecord before, Moment moment);

    /** Returns the time of the store after which the decision must not be written. */
    default long notAfter() {
        return LockRecord.NEVER;
    }

    /**
     * Returns {@code true} if the request can wait. Of the writers that compete for a record, those that want to hold the name can,
     * and those that hold it cannot: a renewal that is always slower than others would lose a lock.
     */
    default boolean yields() {
        return false;
    }

    /** Returns {@code true} if the request has no time to lose a race again. A store may know that only after a decision. */
    default boolean isUrgent() {
        return false;
    }

    /** Returns {@code true} if most replies of the request are true though they are not written; see {@link #unwritten}. */
    default boolean isAnsweredUnwritten() {
        return false;
    }

    /**
     * Returns the reply to a caller whose decision is not written, because others always write faster; empty if the caller has to
     * try again.
     *
     * @param before the record on which the decision was made
     * @param reply the reply of that decision
     */
    default Optional<R> unwritten(LockRecord before, R reply) {
        return Optional.empty();
    }

    /** Returns an update that can wait, and that must not be written after the given time. */
    static <R> RecordUpdate<R> until(long notAfter, RecordUpdate<R> update) {
        return new RecordUpdate<>() {
            @Override
            public Decision<R> decide(LockRecord before, Moment moment) {
                return update.decide(before, moment);
            }

            @Override
            public long notAfter() {
                return notAfter;
            }

            @Override
            public boolean yields() {
                return true;
            }
        };
    }
}
