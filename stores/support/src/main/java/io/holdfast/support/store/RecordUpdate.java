package io.holdfast.support.store;

import io.holdfast.support.record.Decision;
import io.holdfast.support.record.LockRecord;
import io.holdfast.support.record.Moment;

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

    /** Returns an update that must not be written after the given time. */
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
        };
    }
}
