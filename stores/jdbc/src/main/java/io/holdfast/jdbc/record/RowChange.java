package io.holdfast.jdbc.record;

import io.holdfast.jdbc.sql.Dialect;
import io.holdfast.jdbc.sql.Key;
import io.holdfast.jdbc.sql.Row;
import io.holdfast.support.record.Decision;
import io.holdfast.support.record.LockRecord;
import io.holdfast.support.record.Moment;
import io.holdfast.support.record.RecordColumns;
import io.holdfast.support.store.BusyNames;
import io.holdfast.support.store.RecordKey;
import io.holdfast.support.store.RecordUpdate;
import java.util.OptionalLong;

/**
 * A decision on a row.
 *
 * @param row the row as it was read
 * @param before its record
 * @param writes whether the decision changes the row
 * @param after the columns after the decision
 */
record RowChange<R>(
        RecordKey key, Row row, LockRecord before, Decision<R> decision, boolean writes, RecordColumns after) {

    /**
     * Decides on a row.
     *
     * @param name the name of the record, as users know it
     */
    static <R> RowChange<R> decide(RecordKey key, String name, Row row, RecordUpdate<R> update) {
        LockRecord before = row.columns().record(name);
        Decision<R> decision = update.decide(before, moment(row));
        boolean writes = !decision.record().equals(before);
        RecordColumns after = writes ? RecordColumns.of(name, before, decision.record()) : row.columns();
        return new RowChange<>(key, row, before, decision, writes, after);
    }

    /** Returns the circumstances in which a row was read. */
    static Moment moment(Row row) {
        return Moment.of(row.now(), row.run());
    }

    /** Returns the row to write. There has to be one. */
    Dialect.Written written() {
        return new Dialect.Written(Key.of(key), row.version().orElseThrow(), after);
    }

    /** Reports that the change was applied. */
    void settle(Signals signals, BusyNames busy) {
        if (key.kind() == RecordKey.Kind.LOCK) {
            busy.note(key, after.state().isPresent());
        }
        OptionalLong read = row.version();
        read.ifPresent(version -> signals.looker().found(key, version, before, moment(row)));
        // the version of a new row is not known, and is higher than 0
        long version = read.isEmpty() ? 0 : read.getAsLong() + (writes ? 1 : 0);
        signals.looker().left(key, version, decision.record());
    }
}
