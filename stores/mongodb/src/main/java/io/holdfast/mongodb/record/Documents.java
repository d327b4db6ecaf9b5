package io.holdfast.mongodb.record;

import static io.holdfast.spi.Names.quoted;
import static java.util.stream.Collectors.toSet;

import com.mongodb.ErrorCategory;
import com.mongodb.MongoBulkWriteException;
import com.mongodb.MongoCommandException;
import com.mongodb.MongoWriteException;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.model.BulkWriteOptions;
import com.mongodb.client.model.Filters;
import com.mongodb.client.model.FindOneAndUpdateOptions;
import com.mongodb.client.model.Indexes;
import com.mongodb.client.model.ReturnDocument;
import com.mongodb.client.model.UpdateOneModel;
import com.mongodb.client.model.UpdateOptions;
import io.holdfast.spi.StoreException;
import io.holdfast.spi.StoreException.Effect;
import io.holdfast.support.record.RecordColumns;
import io.holdfast.support.store.RecordKey;
import io.holdfast.support.store.RecordKey.Kind;
import io.holdfast.support.store.RecordKeys;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Date;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import org.bson.Document;
import org.bson.conversions.Bson;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The documents of the records. All that is said to MongoDB about records is here.
 *
 * <pre>
 * _id   the kind of the name, and the name
 * v     the number of the write
 * h     the tenure that holds the lock; null if nobody does
 * at    the time of the server at the last write
 * ttl   the lease from that time on, in milliseconds
 * u, f  the last token unit, and the last one before the present tenure
 * w     the number of waiters that is reported to the holder
 * s     everything else, as text; null if there is nothing else
 * </pre>
 *
 * <p>Invariants:
 *
 * <ol>
 *   <li>Each write raises the number, and a new document begins with the clock of the server as its number. So a number is never
 *       used again, not even after the document was deleted.
 *   <li>Only the clock of the server decides whether a lease has ended. It has a precision of a millisecond.
 *   <li>A guarded acquire or release applies only to a lock with nothing in {@code s}: nobody waits there.
 *   <li>An acquire that is late is not applied: it states the time until which it may be applied, and the number that the document
 *       must have if this client knows it.
 * </ol>
 *
 * <p>Only operations are used that all servers from 4.2 on have: no updates by pipelines, and no transactions.
 */
final class Documents {

    /** The result of a guarded acquire. */
    record Grant(long unit, long nowMicros, long number) {}

    /** How often the creation of a document is tried. */
    private static final int CREATIONS = 5;

    private static final Logger LOG = LoggerFactory.getLogger(Documents.class);
    private static final BulkWriteOptions UNORDERED = new BulkWriteOptions().ordered(false);
    private static final FindOneAndUpdateOptions AFTER =
            new FindOneAndUpdateOptions().returnDocument(ReturnDocument.AFTER);
    private static final Document NOW = new Document("$addFields", new Document(Stored.NOW, "$$NOW"));
    private static final Document LEASE_END = new Document("$add", List.of("$at", "$ttl"));
    private static final Bson NOTHING_ELSE = Filters.eq("s", null);

    private final MongoCollection<Document> collection;
    private final RecordKeys keys;
    private final RouterCheck check;

    Documents(MongoCollection<Document> collection, RecordKeys keys, RouterCheck check) {
        this.collection = collection;
        this.keys = keys;
        this.check = check;
    }

    private MongoCollection<Document> collection() {
        check.require();
        return collection;
    }

    static String id(RecordKey key) {
        return letter(key.kind()) + key.text();
    }

    private static String letter(Kind kind) {
        return switch (kind) {
            case LOCK -> "L";
            case SEMAPHORE -> "S";
            case LATCH -> "C";
        };
    }

    /** Returns the record of a document; empty if another program has written it. */
    private Optional<Stored> stored(Document found) {
        String id = found.get("_id") instanceof String text ? text : "";
        for (Kind kind : Kind.values()) {
            if (id.startsWith(letter(kind))) {
                RecordKey key = new RecordKey(kind, id.substring(1));
                String name = key.text().startsWith(keys.prefix()) ? keys.name(key) : key.text();
                return Optional.of(new Stored(key, name, found));
            }
        }
        return Optional.empty();
    }

    /** Creates the index that the sweep uses. */
    void createIndex() {
        var unused = collection().createIndex(Indexes.ascending("at"));
    }

    // ---- reading

    /** Reads a document; empty if there is none. */
    Optional<Stored> find(RecordKey key) {
        return readAll(List.of(key)).values().stream().findFirst();
    }

    /** Reads a document, which is created if there is none. */
    Stored read(RecordKey key) {
        for (int attempt = 0; attempt < CREATIONS; attempt++) {
            Optional<Stored> found = find(key);
            if (found.isPresent()) {
                return found.get();
            }
            create(key);
        }
        throw new StoreException(
                Effect.REFUSED,
                quoted(keys.name(key)) + ": its document cannot be found; has the collection a collation that treats"
                        + " different names as equal?");
    }

    /** Creates a document that has no number yet. One that exists stays as it is. */
    void create(RecordKey key) {
        try {
            var unused = collection()
                    .updateOne(
                            Filters.eq("_id", id(key)),
                            // for the sweep only, so the clock of the client is exact enough
                            new Document("$setOnInsert", new Document("at", Date.from(Instant.now()))),
                            new UpdateOptions().upsert(true));
        } catch (MongoWriteException e) {
            if (ErrorCategory.fromErrorCode(e.getError().getCode()) != ErrorCategory.DUPLICATE_KEY) {
                throw e;
            }
            // another client has created it at this moment
        }
    }

    /** Reads several documents. Those that do not exist are left out. */
    Map<RecordKey, Stored> readAll(List<RecordKey> names) {
        List<String> ids = names.stream().map(Documents::id).toList();
        List<Document> found = collection()
                .aggregate(List.of(new Document("$match", new Document("_id", new Document("$in", ids))), NOW))
                .into(new ArrayList<>());
        Map<RecordKey, Stored> all = new HashMap<>();
        for (Document each : found) {
            stored(each)
                    .filter(stored -> ids.contains(id(stored.key())))
                    .ifPresent(stored -> all.put(stored.key(), stored));
        }
        return all;
    }

    /**
     * Reads a page of the documents whose names begin with a prefix, in the order of the server.
     *
     * @param after the id after which the page begins
     */
    List<Document> page(RecordKey prefix, String after, int size) {
        Document range = new Document("$gt", after);
        // a regular expression cannot have the character 0
        range.append(
                "$regex", "^" + (id(prefix).indexOf('\0') < 0 ? Pattern.quote(id(prefix)) : letter(prefix.kind())));
        return collection()
                .aggregate(List.of(
                        new Document("$match", new Document("_id", range)),
                        new Document("$sort", new Document("_id", 1)),
                        new Document("$limit", size),
                        NOW))
                .into(new ArrayList<>());
    }

    /** Returns the record of a document below a prefix; empty for others, and for those of other programs. */
    Optional<Stored> below(RecordKey prefix, Document found) {
        return stored(found).filter(stored -> stored.key().isBelow(prefix));
    }

    // ---- writing

    /**
     * Writes a record, unless another writer was faster.
     *
     * @return {@code false} if nothing was written
     */
    boolean write(Stored before, RecordColumns after) {
        return collection().updateOne(guard(before), update(before, after)).getMatchedCount() == 1;
    }

    /**
     * Writes several records, of which there is at least one.
     *
     * @return the keys of those that were written. With the others, another writer was faster, or the server refuses the document
     */
    Set<RecordKey> writeAll(Map<Stored, RecordColumns> changes) {
        List<UpdateOneModel<Document>> writes = new ArrayList<>();
        changes.forEach((before, after) -> writes.add(new UpdateOneModel<>(guard(before), update(before, after))));
        return areWritten(writes) ? changes.keySet().stream().map(Stored::key).collect(toSet()) : findWritten(changes);
    }

    private boolean areWritten(List<UpdateOneModel<Document>> writes) {
        try {
            return collection().bulkWrite(writes, UNORDERED).getMatchedCount() == writes.size();
        } catch (MongoBulkWriteException e) {
            if (e.getWriteConcernError() != null) {
                throw e;
            }
            // an update that the server refuses is repeated by itself, and fails then
            LOG.debug("not all of {} documents were written", writes.size(), e);
            return false;
        }
    }

    /** Returns the keys of the documents that have each field as it was to be written, because a bulk write only counts them. */
    private Set<RecordKey> findWritten(Map<Stored, RecordColumns> changes) {
        Map<RecordKey, Stored> found =
                readAll(changes.keySet().stream().map(Stored::key).toList());
        Set<RecordKey> written = new HashSet<>();
        changes.forEach((before, after) -> {
            Stored now = found.getOrDefault(before.key(), before);
            if (now.found().entrySet().containsAll(fields(before, after).entrySet())) {
                written.add(before.key());
            }
        });
        return written;
    }

    private static Bson guard(Stored before) {
        return Filters.and(
                Filters.eq("_id", id(before.key())),
                before.number().isPresent()
                        ? Filters.eq("v", before.number().getAsLong())
                        : Filters.exists("v", false));
    }

    private static Document update(Stored before, RecordColumns after) {
        return new Document("$set", fields(before, after));
    }

    private static Document fields(Stored before, RecordColumns after) {
        long now = before.nowMicros();
        return new Document("v", before.number().isPresent() ? before.number().getAsLong() + 1 : now)
                .append("h", after.tenure().orElse(null))
                .append("at", Stored.date(now))
                // rounded up, because a lease must not end early
                .append("ttl", after.tenure().isPresent() ? -Math.floorDiv(now - after.expires(), 1_000) : 0L)
                .append("u", after.lastUnit())
                .append("f", after.floorUnit())
                .append("w", after.waiters())
                .append("s", after.state().orElse(null));
    }

    // ---- guarded writes of locks that nobody waits for

    /**
     * Acquires a free lock.
     *
     * @param known the number of the last write, if it was this client's
     * @param notAfter the time of the server after which the request must not be applied, in microseconds
     * @return empty if the lock is not free, or somebody waits for it, or its document does not exist
     */
    Optional<Grant> acquire(RecordKey key, String tenure, long leaseMillis, Optional<Long> known, long notAfter) {
        Bson guard = Filters.and(
                known.map(number -> Filters.eq("v", number)).orElseGet(() -> Filters.gt("v", 0L)),
                // a document without a token takes its first one from the clock
                Filters.gt("u", 0L),
                whole("v"),
                whole("u"),
                Filters.expr(new Document("$lte", List.of("$$NOW", Stored.date(notAfter)))));
        Document update = new Document("$set", new Document("h", tenure).append("ttl", leaseMillis))
                .append("$currentDate", new Document("at", true))
                .append("$inc", new Document("v", 1L).append("u", 1L))
                .append("$unset", new Document("f", ""));
        return Optional.ofNullable(collection()
                        .findOneAndUpdate(
                                Filters.and(Filters.eq("_id", id(key)), Filters.eq("h", null), NOTHING_ELSE, guard),
                                update,
                                AFTER))
                .map(Documents::grant);
    }

    /** A guard against a fraction, which is refused when the document is read. */
    private static Bson whole(String field) {
        return Filters.eq(field, new Document("$type", List.of("int", "long")));
    }

    /** Releases a lock. Returns the time of the server and the number of the write; empty if the tenure does not hold the lock. */
    Optional<Grant> release(RecordKey key, String tenure) {
        Document update = new Document(
                        "$set", new Document("h", null).append("ttl", 0L).append("w", 0))
                .append("$currentDate", new Document("at", true))
                .append("$inc", new Document("v", 1L));
        return Optional.ofNullable(collection()
                        .findOneAndUpdate(
                                Filters.and(
                                        Filters.eq("_id", id(key)),
                                        Filters.eq("h", tenure),
                                        NOTHING_ELSE,
                                        Filters.expr(new Document("$gt", List.of(LEASE_END, "$$NOW")))),
                                update,
                                AFTER))
                .map(Documents::grant);
    }

    private static Grant grant(Document found) {
        return new Grant(Stored.number(found, "u"), Stored.micros(found.getDate("at")), Stored.number(found, "v"));
    }

    // ---- sweeping

    /** Returns some records that were written last between two times, the earliest first. */
    List<Stored> unused(Date from, Date until, int limit) {
        List<Document> found = collection()
                .aggregate(List.of(
                        new Document("$match", new Document("at", new Document("$gte", from).append("$lt", until))),
                        new Document("$sort", new Document("at", 1)),
                        new Document("$limit", limit),
                        NOW))
                .into(new ArrayList<>());
        return found.stream().flatMap(each -> stored(each).stream()).toList();
    }

    /** Deletes a document that nobody has written since it was read. */
    boolean delete(Stored before) {
        return collection().deleteOne(guard(before)).getDeletedCount() == 1;
    }

    /** Returns {@code true} if a failure means that another client has written the same document at this moment. */
    static boolean isWriteConflict(Throwable error) {
        return error instanceof MongoCommandException failure && failure.getErrorCode() == 112;
    }
}
