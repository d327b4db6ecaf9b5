package io.holdfast.support.store;

import io.holdfast.support.record.LockRecord;
import io.holdfast.support.record.Moment;

/**
 * A record as a store has found it.
 *
 * @param key its key
 * @param record the record
 * @param moment the circumstances, with the time at which the store read it
 */
public record Found(RecordKey key, LockRecord record, Moment moment) {

    /** Returns the record without everything in it that has expired. */
    LockRecord present() {
        return record.expire(moment.now());
    }
}
