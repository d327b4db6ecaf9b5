package io.holdfast.mongodb.record;

import static io.holdfast.spi.Names.quoted;
import static java.util.Objects.requireNonNull;

import com.mongodb.MongoException;
import io.holdfast.spi.Signal;
import io.holdfast.spi.StoreConfig;
import io.holdfast.spi.StoreException;
import io.holdfast.support.record.Decision;
import io.holdfast.support.record.LockRecord;
import io.holdfast.support.record.Moment;
import io.holdfast.support.record.Notice;
import io.holdfast.support.record.RecordColumns;
import io.holdfast.support.store.BusyNames;
import io.holdfast.support.store.Contention;
import io.holdfast.support.store.Found;
import io.holdfast.support.store.Looker;
import io.holdfast.support.store.RecordKey;
import io.holdfast.support.store.RecordKeys;
import io.holdfast.support.store.RecordUpdate;
import io.holdfast.support.store.Records;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.bson.Document;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The records in the collection, for one client. Each request runs on the calling thread.
 *
 * <p>A request reads the document, decides, and writes the document if its number is still the same (optimistic concurrency
 * control). If another writer was faster, the request begins again.
 */
final class MongoRecords implements Records {

    private static final Logger LOG = LoggerFactory.getLogger(MongoRecords.class);

    private static final int PAGE = 1_000;

    /** How often the updates of several documents are tried together. */
    private static final int ROUNDS = 4;

    private final StoreConfig config;
    private final RecordKeys keys;
    private final Documents documents;
    private final Failures failures;
    private final Looker looker;
    private final BusyNames busy;

    MongoRecords(StoreConfig config, Documents documents, Failures failures, Looker looker, BusyNames busy) {
        this.config = config;
        this.documents = documents;
        this.failures = failures;
        this.looker = looker;
        this.busy = busy;
        keys = new RecordKeys(config.keyPrefix());
    }

    /** Runs a call. Any exception fails the stage. */
    static <T> CompletionStage<T> start(Supplier<T> call) {
        try {
            return CompletableFuture.completedStage(call.get());
        } catch (RuntimeException e) {
            return CompletableFuture.failedStage(e);
        }
    }

    // ---- updates

    /**
     * A decision on a document.
     *
     * @param writes whether it changes the document
     */
    private record Change<R>(
            Stored read, LockRecord before, Decision<R> decision, boolean writes, RecordColumns after) {}

    private static <R> Change<R> decide(Stored read, RecordUpdate<R> update) {
        LockRecord before = read.record();
        Decision<R> decision = update.decide(before, read.moment());
        boolean writes = !decision.record().equals(before);
        RecordColumns after = writes ? RecordColumns.of(read.name(), before, decision.record()) : read.columns();
        return new Change<>(read, before, decision, writes, after);
    }

    @Override
    public <R> CompletionStage<R> update(RecordKey key, RecordUpdate<R> update) {
        return start(() -> retry(key, update));
    }

    private String what(RecordKey key) {
        return "update " + quoted(keys.name(key));
    }

    private <R> R retry(RecordKey key, RecordUpdate<R> update) {
        return Contention.retry(
                config, this, update, failures.address() + ": " + what(key), crowded -> attempt(key, update, crowded));
    }

    /** Returns the reply; empty if another writer was faster. */
    private <R> Optional<R> attempt(RecordKey key, RecordUpdate<R> update, boolean crowded) {
        Change<R> change = decide(failures.reading(what(key), () -> documents.read(key)), update);
        Optional<R> unwritten =
                crowded ? update.unwritten(change.before(), change.decision().reply()) : Optional.empty();
        if (unwritten.isPresent()) {
            return unwritten;
        }
        looker.begin(key);
        try {
            if (change.writes() && !written(key, change)) {
                return Optional.empty();
            }
            settle(change);
        } finally {
            looker.end(key);
        }
        change.decision().notices().forEach(notice -> deliverOwn(key, notice));
        return Optional.of(change.decision().reply());
    }

    private boolean written(RecordKey key, Change<?> change) {
        return failures.calling(what(key), () -> {
            try {
                return documents.write(change.read(), change.after());
            } catch (MongoException e) {
                if (Documents.isWriteConflict(e)) {
                    return false;
                }
                throw e;
            }
        });
    }

    /** Reports a change that was applied. */
    private void settle(Change<?> change) {
        Stored read = change.read();
        if (read.key().kind() == RecordKey.Kind.LOCK) {
            busy.note(read.key(), change.after().state().isPresent());
        }
        looker.found(read.key(), read.version(), change.before(), read.moment());
        // the first write of a document takes the clock as its number
        long after = read.number().isPresent() ? read.version() + 1 : read.nowMicros();
        looker.left(
                read.key(),
                change.writes() ? after : read.version(),
                change.decision().record());
    }

    /** Delivers a signal to this client itself. The others look. */
    private void deliverOwn(RecordKey key, Notice notice) {
        if (notice.to().clientId().equals(config.client().id())) {
            Signal signal = notice.named(keys.name(key));
            config.signals().accept(signal);
        }
    }

    /**
     * Updates the documents by one query and one command. Those that have lost a race against another writer are repeated together,
     * so that one lost race does not delay the renewal of every other lock.
     */
    @Override
    public <R> Map<RecordKey, CompletionStage<R>> updateAll(Map<RecordKey, RecordUpdate<R>> updates) {
        Map<RecordKey, CompletionStage<R>> results = new LinkedHashMap<>();
        Map<RecordKey, RecordUpdate<R>> left = new LinkedHashMap<>(updates);
        try {
            for (int round = 0; round < ROUNDS && !left.isEmpty(); round++) {
                Map<RecordKey, R> replies = updateTogether(left);
                replies.forEach((key, reply) -> results.put(key, CompletableFuture.completedStage(reply)));
                left.keySet().removeAll(replies.keySet());
            }
            // those without a document, those that cannot be read or written, and those that have lost each race
            left.forEach((key, update) -> results.put(key, start(() -> retry(key, update))));
        } catch (StoreException e) {
            LOG.debug("{} names were not updated together", left.size(), e);
            // each by itself would wait as long, one after the other
            left.keySet().forEach(key -> results.put(key, CompletableFuture.failedStage(e)));
        }
        return results;
    }

    /** Returns the replies of those that were updated. */
    private <R> Map<RecordKey, R> updateTogether(Map<RecordKey, RecordUpdate<R>> updates) {
        String what = "update " + updates.size() + " names";
        Map<RecordKey, Stored> read = failures.reading(what, () -> documents.readAll(List.copyOf(updates.keySet())));
        List<Change<R>> changes = new ArrayList<>();
        read.forEach((key, stored) ->
                decideReadable(stored, requireNonNull(updates.get(key))).ifPresent(changes::add));
        Map<RecordKey, R> replies = new LinkedHashMap<>();
        writeTogether(what, changes).forEach(change -> {
            RecordKey key = change.read().key();
            change.decision().notices().forEach(notice -> deliverOwn(key, notice));
            replies.put(key, change.decision().reply());
        });
        return replies;
    }

    /** Returns those changes that were written. */
    private <R> List<Change<R>> writeTogether(String what, List<Change<R>> changes) {
        if (changes.isEmpty()) {
            return List.of();
        }
        Map<Stored, RecordColumns> writes = new LinkedHashMap<>();
        changes.forEach(change -> writes.put(change.read(), change.after()));
        changes.forEach(change -> looker.begin(change.read().key()));
        try {
            Set<RecordKey> applied = failures.calling(what, () -> documents.writeAll(writes));
            List<Change<R>> written = changes.stream()
                    .filter(change -> applied.contains(change.read().key()))
                    .toList();
            written.forEach(this::settle);
            return written;
        } finally {
            changes.forEach(change -> looker.end(change.read().key()));
        }
    }

    /** Decides an update; empty if that fails, so that it fails again by itself. */
    private static <R> Optional<Change<R>> decideReadable(Stored stored, RecordUpdate<R> update) {
        try {
            return Optional.of(decide(stored, update));
        } catch (StoreException e) {
            return Optional.empty();
        }
    }

    // ---- reports

    @Override
    public CompletionStage<Found> read(RecordKey key) {
        return start(() -> failures.reading("read " + quoted(keys.name(key)), () -> documents.find(key))
                .map(MongoRecords::found)
                .orElseGet(() -> new Found(
                        key, LockRecord.EMPTY, Moment.of(config.platform().wallMillis() * 1_000, 0))));
    }

    private static Found found(Stored stored) {
        return new Found(stored.key(), stored.record(), stored.moment());
    }

    @Override
    public CompletionStage<List<Found>> list(RecordKey prefix) {
        return start(() -> {
            List<Found> all = new ArrayList<>();
            String after = Documents.id(prefix).substring(0, 1);
            List<Document> page;
            do {
                String from = after;
                page = failures.reading("list", () -> documents.page(prefix, from, PAGE));
                page.forEach(each -> addReadable(all, prefix, each));
                after = page.isEmpty() ? from : page.get(page.size() - 1).getString("_id");
            } while (page.size() == PAGE);
            return all;
        });
    }

    /** Adds a record. One that cannot be read must not hide the others. */
    private void addReadable(List<Found> all, RecordKey prefix, Document document) {
        try {
            documents.below(prefix, document).map(MongoRecords::found).ifPresent(all::add);
        } catch (RuntimeException e) {
            LOG.warn("The document {} is not listed, because it cannot be read", document.get("_id"), e);
        }
    }
}
