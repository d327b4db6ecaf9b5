package io.holdfast.mongodb.record;

import static io.holdfast.spi.Names.quoted;

import io.holdfast.spi.StoreException;
import io.holdfast.support.record.LockRecord;
import io.holdfast.support.record.Moment;
import io.holdfast.support.record.RecordColumns;
import io.holdfast.support.record.UnreadableRecordException;
import io.holdfast.support.store.Looker;
import io.holdfast.support.store.RecordKey;
import java.time.Instant;
import java.util.Date;
import java.util.Optional;
import java.util.OptionalLong;
import org.bson.Document;
import org.jspecify.annotations.Nullable;

/**
 * A document as it was read. It is understood only when it is used, so that one of another program fails no others.
 *
 * @param key the key of the record
 * @param name the name that this client uses for it
 * @param found the document, with the time of the server at which it was read
 */
record Stored(RecordKey key, String name, Document found) implements Looker.Sight {

    /** The field that {@link Documents} adds to what it reads. */
    static final String NOW = "now";

    /** Returns the number of the write; empty if the document was created and not written yet. */
    OptionalLong number() {
        return found.get("v") instanceof Number number ? OptionalLong.of(number.longValue()) : OptionalLong.empty();
    }

    /** Returns the time of the server at which the document was read, in microseconds. */
    long nowMicros() {
        return micros(found.getDate(NOW));
    }

    /** Returns the time of the last write, in microseconds. */
    long atMicros() {
        return found.get("at") instanceof Date at ? micros(at) : 0;
    }

    /**
     * Returns the record as columns.
     *
     * @throws StoreException if another program has written the document
     */
    RecordColumns columns() {
        try {
            if (found.containsKey("v")) {
                var unused = whole(found.get("v"));
            }
            Optional<String> holder = Optional.ofNullable(found.getString("h"));
            long last = number(found, "u");
            return new RecordColumns(
                    holder,
                    holder.isPresent() ? micros(found.getDate("at")) + number(found, "ttl") * 1_000 : 0,
                    last,
                    // a guarded acquire takes one unit, and leaves no floor
                    found.containsKey("f") ? number(found, "f") : Math.max(0, last - 1),
                    (int) number(found, "w"),
                    Optional.ofNullable(found.getString("s")));
        } catch (ClassCastException e) {
            throw UnreadableRecordException.refusal(
                    quoted(name) + ": the document has fields of other types; somebody has changed it", e);
        }
    }

    static long number(Document found, String field) {
        Object value = found.get(field);
        return value == null ? 0 : whole(value);
    }

    /** Returns a whole number. No guard would ever match a fraction. */
    private static long whole(@Nullable Object value) {
        if (value instanceof Long || value instanceof Integer || (value instanceof Double real && real % 1 == 0)) {
            return ((Number) value).longValue();
        }
        throw new ClassCastException(value + " is not a whole number");
    }

    static long micros(@Nullable Date date) {
        return date == null ? 0 : date.toInstant().toEpochMilli() * 1_000;
    }

    static Date date(long micros) {
        return Date.from(Instant.ofEpochMilli(micros / 1_000));
    }

    @Override
    public long version() {
        return number().orElse(0);
    }

    @Override
    public LockRecord record() {
        return columns().record(name);
    }

    @Override
    public Moment moment() {
        return Moment.of(nowMicros(), 0);
    }
}
