package io.holdfast.jdbc.record;

import static io.holdfast.spi.Names.quoted;

import io.holdfast.jdbc.sql.Dialect;
import io.holdfast.jdbc.sql.Key;
import io.holdfast.jdbc.sql.Message;
import io.holdfast.jdbc.sql.Row;
import io.holdfast.jdbc.sql.Verdict;
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
import io.holdfast.support.store.RecordKey;
import io.holdfast.support.store.RecordKeys;
import io.holdfast.support.store.RecordUpdate;
import io.holdfast.support.store.Records;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The records in the table, for one client. Each request runs on the calling thread.
 *
 * <p>A request reads the row, decides, and writes the row if its version is still the same (optimistic concurrency control). So
 * no row stays locked while a client decides, however long it is stopped in between. If another writer was faster, the request
 * begins again.
 *
 * <p>See H. T. Kung and J. T. Robinson, "On optimistic methods for concurrency control", ACM TODS 1981.
 */
final class TableRecords implements Records {

    private static final Logger LOG = LoggerFactory.getLogger(TableRecords.class);

    /** A request waits for a locked row for this share of the command timeout. */
    private static final int ROW_WAIT_SHARE = 4;

    /** A renewal begins after a third of a lease, and may wait behind another renewal that waits for a row. */
    private static final int ROW_WAITS_OF_A_LEASE = 3;

    /** A row stays locked for less than this while another client writes it. */
    private static final long WRITING_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    private static final int PAGE = 1_000;

    private final StoreConfig config;
    private final RecordKeys keys;
    private final Dialect dialect;
    private final Sessions sessions;
    private final Signals signals;
    private final BusyNames busy;

    /** The time until which renewals do not wait for locked rows. */
    private volatile long hurriedUntil;

    TableRecords(StoreConfig config, Dialect dialect, Sessions sessions, Signals signals, BusyNames busy) {
        this.config = config;
        this.keys = new RecordKeys(config.keyPrefix());
        this.dialect = dialect;
        this.sessions = sessions;
        this.signals = signals;
        this.busy = busy;
        hurriedUntil = config.platform().nanoTime();
    }

    /** Runs a call. Any exception fails the stage. */
    static <T> CompletionStage<T> start(Supplier<T> call) {
        try {
            return CompletableFuture.completedStage(call.get());
        } catch (RuntimeException e) {
            return CompletableFuture.failedStage(e);
        }
    }

    static <T> CompletionStage<T> completed(T result) {
        return CompletableFuture.completedStage(result);
    }

    // ---- updates

    @Override
    public <R> CompletionStage<R> update(RecordKey key, RecordUpdate<R> update) {
        signals.use();
        return start(() -> retry(key, update, false));
    }

    /**
     * Notes the leases of renewals. If one is so short that it may end while a renewal waits for a locked row, no renewal of the next
     * time waits for one, because all are sent by one thread.
     */
    void noteLeases(List<Duration> leases) {
        Duration wait = Duration.ofMillis(
                dialect.longestRowWaitMillis(config.commandTimeout().toMillis()));
        Duration enough = wait.multipliedBy(ROW_WAITS_OF_A_LEASE);
        if (leases.stream().anyMatch(lease -> lease.compareTo(enough) < 0)) {
            hurriedUntil = config.platform().nanoTime() + enough.toNanos();
        }
    }

    /** Returns {@code true} if renewals must not wait for locked rows. */
    boolean isHurried() {
        return hurriedUntil - config.platform().nanoTime() > 0;
    }

    /** Updates the rows, except those that stay locked if renewals must not wait for them. */
    @Override
    public <R> Map<RecordKey, CompletionStage<R>> updateAll(Map<RecordKey, RecordUpdate<R>> updates) {
        Set<Key> locked = isHurried() ? staysLocked(updates.keySet()) : Set.of();
        Map<RecordKey, RecordUpdate<R>> free = new LinkedHashMap<>(updates);
        free.keySet().removeIf(key -> locked.contains(Key.of(key)));
        Map<RecordKey, CompletionStage<R>> results = free.isEmpty() ? new LinkedHashMap<>() : updateFree(free);
        updates.keySet()
                .forEach(key -> results.computeIfAbsent(
                        key, each -> CompletableFuture.failedStage(sessions.rowLocked(what(each)))));
        return results;
    }

    /** Updates the rows by one query and one statement, where the database can write many rows by one. */
    private <R> Map<RecordKey, CompletionStage<R>> updateFree(Map<RecordKey, RecordUpdate<R>> updates) {
        boolean late = updates.values().stream().anyMatch(update -> update.notAfter() != LockRecord.NEVER);
        if (updates.size() == 1 || late || !dialect.writesTogether()) {
            return updateEach(updates, false);
        }
        Map<RecordKey, CompletionStage<R>> results = new LinkedHashMap<>();
        try {
            Map<RecordKey, R> replies = updateTogether(updates);
            if (replies.isEmpty()) {
                return updateEach(updates, false);
            }
            replies.forEach((key, reply) -> results.put(key, completed(reply)));
        } catch (RuntimeException e) {
            boolean ofDatabase = e instanceof StoreException && e.getCause() instanceof SQLException;
            if (!ofDatabase || isRowLocked((StoreException) e)) {
                return updateEach(updates, ofDatabase);
            }
            updates.keySet().forEach(key -> results.put(key, CompletableFuture.failedStage(e)));
        }
        return results;
    }

    /**
     * Returns the replies; empty if the rows have to be updated one by one: a row is missing, another writer was faster, or a message
     * has to be sent. Some rows may be written then, which does no harm, because a renewal may be repeated.
     */
    private <R> Map<RecordKey, R> updateTogether(Map<RecordKey, RecordUpdate<R>> updates) {
        String what = "update " + updates.size() + " names";
        return sessions.run(what, connection -> {
            // in the order of the keys, so that two clients do not lock rows in opposite orders (deadlock)
            Map<RecordKey, RecordUpdate<R>> sorted = new TreeMap<>(Comparator.comparing(Key::of));
            sorted.putAll(updates);
            Map<Key, Row> rows = dialect.readAll(
                    connection, sorted.keySet().stream().map(Key::of).toList());
            List<Change<R>> changes = new ArrayList<>();
            for (Map.Entry<RecordKey, RecordUpdate<R>> each : sorted.entrySet()) {
                Row row = rows.get(Key.of(each.getKey()));
                Change<R> change = row == null ? null : decide(each.getKey(), row, each.getValue());
                if (change == null || !change.decision().notices().isEmpty()) {
                    return Map.of();
                }
                changes.add(change);
            }
            return writeTogether(what, connection, changes) ? replies(changes) : Map.of();
        });
    }

    private <R> boolean writeTogether(String what, Connection connection, List<Change<R>> changes) {
        List<Dialect.Written> written = changes.stream()
                .filter(Change::writes)
                .map(change -> new Dialect.Written(
                        Key.of(change.key()), change.row().version().orElseThrow(), change.after()))
                .toList();
        changes.forEach(change -> signals.looker().begin(change.key()));
        try {
            boolean all = written.isEmpty()
                    || sessions.write(what, connection, () -> dialect.writeAll(connection, written) == written.size())
                            .orElse(false);
            if (all) {
                changes.forEach(this::settle);
            }
            return all;
        } finally {
            changes.forEach(change -> signals.looker().end(change.key()));
        }
    }

    private static <R> Map<RecordKey, R> replies(List<Change<R>> changes) {
        Map<RecordKey, R> replies = new LinkedHashMap<>();
        changes.forEach(change -> replies.put(change.key(), change.decision().reply()));
        return replies;
    }

    /**
     * Updates the rows one after the other. One row that stays locked is awaited. The others that are locked then fail at once,
     * so that no number of locked rows delays the rest.
     *
     * @param awaited whether a locked row was awaited before
     */
    private <R> Map<RecordKey, CompletionStage<R>> updateEach(
            Map<RecordKey, RecordUpdate<R>> updates, boolean awaited) {
        Map<RecordKey, CompletionStage<R>> results = new LinkedHashMap<>();
        boolean metALock = awaited;
        Set<Key> locked = awaited ? locked(updates.keySet()) : Set.of();
        for (Map.Entry<RecordKey, RecordUpdate<R>> each : updates.entrySet()) {
            RecordKey key = each.getKey();
            if (locked.contains(Key.of(key))) {
                results.put(key, CompletableFuture.failedStage(sessions.rowLocked(what(key))));
                continue;
            }
            boolean hurry = metALock;
            CompletionStage<R> result = start(() -> retry(key, each.getValue(), hurry));
            results.put(key, result);
            if (!metALock && hasMetALock(result)) {
                metALock = true;
                locked = locked(updates.keySet());
            }
        }
        return results;
    }

    private <R> boolean hasMetALock(CompletionStage<R> result) {
        AtomicBoolean met = new AtomicBoolean();
        var unused =
                result.whenComplete((reply, error) -> met.set(error instanceof StoreException e && isRowLocked(e)));
        return met.get();
    }

    /** Returns those of the keys whose rows stay locked for longer than another client writes them. */
    Set<Key> staysLocked(Set<RecordKey> all) {
        Set<Key> locked = locked(all);
        if (!locked.isEmpty()) {
            config.platform().park(this, WRITING_NANOS);
            locked.retainAll(locked(all));
        }
        return locked;
    }

    /** Returns those of the keys whose rows are locked now, as far as that can be found out. */
    private Set<Key> locked(Set<RecordKey> all) {
        List<Key> rows = all.stream().map(Key::of).toList();
        try {
            return sessions.run("renew " + all.size() + " names", connection -> {
                Set<Key> locked =
                        new HashSet<>(dialect.readAll(connection, rows).keySet());
                locked.removeAll(dialect.unlocked(connection, rows));
                return locked;
            });
        } catch (StoreException e) {
            LOG.debug("each row is tried, because the locked ones are not known", e);
            return Set.of();
        }
    }

    private String what(RecordKey key) {
        return "update " + quoted(keys.name(key));
    }

    /** Repeats an update until no other client is faster. A locked row is awaited, unless the caller is in a hurry. */
    private <R> R retry(RecordKey key, RecordUpdate<R> update, boolean hurry) {
        String what = what(key);
        long rowWait = hurry ? 0 : config.commandTimeout().toNanos() / ROW_WAIT_SHARE;
        long lockedUntil = config.platform().nanoTime() + rowWait;
        return Contention.retry(
                config,
                this,
                update,
                dialect.product() + " at " + sessions.address() + ": " + what,
                crowded -> attemptUnlessLocked(what, key, update, crowded, lockedUntil));
    }

    /** Returns the reply; empty if the request has to begin again, also because its row was locked for a moment. */
    private <R> Optional<R> attemptUnlessLocked(
            String what, RecordKey key, RecordUpdate<R> update, boolean crowded, long lockedUntil) {
        try {
            return sessions.run(what, connection -> attempt(what, connection, key, update, crowded));
        } catch (StoreException e) {
            if (!isRowLocked(e) || config.platform().nanoTime() - lockedUntil >= 0) {
                throw e;
            }
            return Optional.empty();
        }
    }

    private boolean isRowLocked(StoreException e) {
        return e.getCause() instanceof SQLException cause && dialect.verdict(cause) == Verdict.LOCKED;
    }

    /**
     * A decision on a row.
     *
     * @param writes whether it changes the row
     */
    private record Change<R>(
            RecordKey key, Row row, LockRecord before, Decision<R> decision, boolean writes, RecordColumns after) {}

    private <R> Change<R> decide(RecordKey key, Row row, RecordUpdate<R> update) {
        String name = keys.name(key);
        LockRecord before = row.columns().record(name);
        Decision<R> decision = update.decide(before, moment(row));
        boolean writes = !decision.record().equals(before);
        RecordColumns after = writes ? RecordColumns.of(name, before, decision.record()) : row.columns();
        return new Change<>(key, row, before, decision, writes, after);
    }

    private static Moment moment(Row row) {
        return Moment.of(row.now(), row.run());
    }

    /** Returns the reply; empty if another writer was faster. */
    private <R> Optional<R> attempt(
            String what, Connection connection, RecordKey key, RecordUpdate<R> update, boolean crowded)
            throws SQLException {
        Change<R> change = decide(key, dialect.read(connection, Key.of(key)), update);
        Optional<R> unwritten =
                crowded ? update.unwritten(change.before(), change.decision().reply()) : Optional.empty();
        if (unwritten.isPresent()) {
            return unwritten;
        }
        List<Notice> notices = change.decision().notices();
        signals.looker().begin(key);
        try {
            List<Message> messages = signals.messages(key, notices);
            if (change.writes() && !write(what, connection, change, update.notAfter(), messages)) {
                return Optional.empty();
            } else if (!change.writes()) {
                signals.send(connection, messages);
            }
            settle(change);
        } finally {
            signals.looker().end(key);
        }
        notices.forEach(notice -> deliverOwn(key, notice));
        return Optional.of(change.decision().reply());
    }

    /** Reports a change that was applied. */
    private void settle(Change<?> change) {
        RecordKey key = change.key();
        if (key.kind() == RecordKey.Kind.LOCK) {
            busy.note(key, change.after().state().isPresent());
        }
        OptionalLong read = change.row().version();
        read.ifPresent(version -> signals.looker().found(key, version, change.before(), moment(change.row())));
        // the version of a new row is not known, and is higher than 0
        long version = read.isEmpty() ? 0 : read.getAsLong() + (change.writes() ? 1 : 0);
        signals.looker().left(key, version, change.decision().record());
    }

    private boolean write(String what, Connection connection, Change<?> change, long notAfter, List<Message> messages) {
        return sessions.write(
                        what,
                        connection,
                        () -> dialect.write(
                                connection, Key.of(change.key()), change.row(), change.after(), notAfter, messages))
                .orElse(false);
    }

    /** Delivers a signal to this client itself. */
    private void deliverOwn(RecordKey key, Notice notice) {
        if (notice.to().clientId().equals(config.client().id())) {
            Signal signal = notice.named(keys.name(key));
            config.signals().accept(signal);
        }
    }

    // ---- reports

    @Override
    public CompletionStage<Found> read(RecordKey key) {
        return start(() -> sessions.run(
                "read " + quoted(keys.name(key)), connection -> found(key, dialect.read(connection, Key.of(key)))));
    }

    /** Adds a record. One that cannot be read must not hide the others. */
    private void addReadable(List<Found> all, Key key, Row row) {
        try {
            all.add(found(key.record(), row));
        } catch (RuntimeException e) {
            LOG.warn("The row {} is not listed, because it cannot be read", key, e);
        }
    }

    private Found found(RecordKey key, Row row) {
        return new Found(key, row.columns().record(keys.name(key)), moment(row));
    }

    @Override
    public CompletionStage<List<Found>> list(RecordKey prefix) {
        return start(() -> {
            List<Found> all = new ArrayList<>();
            Key below = Key.of(prefix);
            Key from = below;
            List<Map.Entry<Key, Row>> page;
            do {
                Key first = from;
                page = sessions.run("list", connection -> dialect.list(connection, first, below, PAGE));
                page.forEach(entry -> addReadable(all, entry.getKey(), entry.getValue()));
                from = page.isEmpty()
                        ? from
                        : page.get(page.size() - 1).getKey().next();
            } while (page.size() == PAGE);
            return all;
        });
    }
}
