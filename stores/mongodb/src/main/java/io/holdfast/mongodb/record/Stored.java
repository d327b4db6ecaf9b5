package io.holdfast.mongodb.record;

import io.holdfast.support.record.LockRecord;
import io.holdfast.support.record.Moment;
import io.holdfast.support.record.RecordColumns;
import io.holdfast.support.store.Looker;
import io.holdfast.support.store.RecordKey;
import java.time.Instant;
import java.util.Date;
import java.util.Optional;
import java.util.OptionalLong;
import org.bson.Document;
import org.jspecify.annotations.Nullable;

/**
 * A document as it was read.
 *
 * @param key the key of the record
 * @param name the name that this client uses for it
 * @param columns the record
 * @param number the number of the write; empty if the document was created and not written yet
 * @param nowMicros the time of the server at which it was read
 */
record Stored(RecordKey key, String name, RecordColumns columns, OptionalLong number, long nowMicros)
        implements Looker.Sight {

    /** The field that {@link Documents} adds to what it reads. */
    static final String NOW = "now";

    static Stored of(RecordKey key, String name, Document found) {
        Optional<String> holder = Optional.ofNullable(found.getString("h"));
        long last = number(found, "u");
        RecordColumns columns = new RecordColumns(
                holder,
                holder.isPresent() ? micros(found.getDate("at")) + number(found, "ttl") * 1_000 : 0,
                last,
                // a guarded acquire takes one unit, and leaves no floor
                found.containsKey("f") ? number(found, "f") : last - 1,
                (int) number(found, "w"),
                Optional.ofNullable(found.getString("s")));
        OptionalLong number = found.containsKey("v") ? OptionalLong.of(number(found, "v")) : OptionalLong.empty();
        return new Stored(key, name, columns, number, micros(found.getDate(NOW)));
    }

    private static long number(Document found, String field) {
        return found.get(field) instanceof Number number ? number.longValue() : 0;
    }

    static long micros(@Nullable Date date) {
        return date == null ? 0 : date.toInstant().toEpochMilli() * 1_000;
    }

    static Date date(long micros) {
        return Date.from(Instant.ofEpochMilli(micros / 1_000));
    }

    @Override
    public long version() {
        return number.orElse(0);
    }

    @Override
    public LockRecord record() {
        return columns.record(name);
    }

    @Override
    public Moment moment() {
        return Moment.of(nowMicros, 0);
    }
}
