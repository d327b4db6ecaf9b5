package io.holdfast.jdbc.record;

import static io.holdfast.spi.Names.quoted;
import static java.util.stream.Collectors.toSet;

import io.holdfast.jdbc.sql.Dialect;
import io.holdfast.jdbc.sql.Key;
import io.holdfast.jdbc.sql.Message;
import io.holdfast.jdbc.sql.Row;
import io.holdfast.jdbc.sql.Verdict;
import io.holdfast.spi.Signal;
import io.holdfast.spi.StoreConfig;
import io.holdfast.spi.StoreException;
import io.holdfast.spi.StoreException.Effect;
import io.holdfast.support.record.LockRecord;
import io.holdfast.support.record.Notice;
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
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The records in the table, for one client. Each request runs on the calling thread.
 *
 * <p>A request reads the row, decides, and writes the row if its version is still the same (optimistic concurrency control). So
 * no row stays locked while a client decides, however long it is stopped in between. If another writer was faster, the request
 * begins again. A request of a holder that has lost some races reserves the row for a moment, in which others fail as if somebody
 * had been faster: where each write takes long, somebody else would always be faster.
 *
 * <p>See H. T. Kung and J. T. Robinson, "On optimistic methods for concurrency control", ACM TODS 1981.
 */
final class TableRecords implements Records {

    private static final Logger LOG = LoggerFactory.getLogger(TableRecords.class);

    /** A request waits for a locked row for this share of the command timeout. */
    private static final int ROW_WAIT_SHARE = 4;

    /** A row stays locked for less than this while another client writes it. */
    private static final long WRITING_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    private static final int PAGE = 1_000;

    /** The number of times that rows are written together. Those that have always lost a race are then written one by one. */
    private static final int MOST_ROUNDS = 5;

    private final StoreConfig config;
    private final RecordKeys keys;
    private final Dialect dialect;
    private final Sessions sessions;
    private final Signals signals;
    private final BusyNames busy;
    private final JointUpdate together;

    private final Duration longestStatement;

    /** The shortest lease of the last renewals. */
    private volatile long shortestLeaseMillis;

    /** The time until which renewals do not wait for locked rows. */
    private volatile long hurriedUntil;

    TableRecords(StoreConfig config, Dialect dialect, Sessions sessions, Signals signals, BusyNames busy) {
        this.config = config;
        this.keys = new RecordKeys(config.keyPrefix());
        this.dialect = dialect;
        this.sessions = sessions;
        this.signals = signals;
        this.busy = busy;
        together = new JointUpdate(keys, dialect, sessions, signals, busy);
        longestStatement = longestStatement(config, dialect);
        hurriedUntil = config.platform().nanoTime();
    }

    private static Duration longestStatement(StoreConfig config, Dialect dialect) {
        long command = config.commandTimeout().toMillis();
        return Duration.ofMillis(
                Math.max(Math.max(command, dialect.networkMillis(command)), dialect.longestRowWaitMillis(command)));
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
        return start(() -> retry(key, update, false, 0, false));
    }

    /**
     * Notes the leases of renewals. If one is so short that it may end while a statement waits for locked rows, no renewal of the next
     * time waits for one, because all are sent by one thread. A renewal begins after a third of a lease.
     */
    void noteLeases(List<Duration> leases) {
        Duration shortLease = longestStatement.multipliedBy(3).dividedBy(2);
        leases.stream().min(Comparator.naturalOrder()).ifPresent(shortest -> {
            shortestLeaseMillis = shortest.toMillis();
            if (shortest.compareTo(shortLease) <= 0) {
                hurry();
            }
        });
    }

    /**
     * Notes that a renewal has waited for a row in vain, or has failed. No renewal waits for the time of some statements then, so that no
     * number of rows that stay locked delays the others by more than one wait in this time. Until then, rows are awaited: one that
     * clients write one after the other may be locked whenever a renewal would pass over it.
     */
    void waitedInVain() {
        if (!isHurried()) {
            hurry();
        }
    }

    private void hurry() {
        hurriedUntil =
                config.platform().nanoTime() + longestStatement.multipliedBy(3).toNanos();
    }

    /** Returns {@code true} if renewals must not wait for locked rows. */
    boolean isHurried() {
        return hurriedUntil - config.platform().nanoTime() > 0;
    }

    /** Updates the rows, except those that stay locked if renewals must not wait for them. */
    @Override
    public <R> Map<RecordKey, CompletionStage<R>> updateAll(Map<RecordKey, RecordUpdate<R>> updates) {
        boolean asksFirst = isHurried() && !dialect.skipsLocked();
        return exceptLocked(updates, asksFirst ? staysLocked(updates.keySet()) : Set.of(), this::updateFree);
    }

    /** Makes the updates, except those of locked rows, which fail. */
    private <R> Map<RecordKey, CompletionStage<R>> exceptLocked(
            Map<RecordKey, RecordUpdate<R>> updates,
            Set<Key> locked,
            Function<Map<RecordKey, RecordUpdate<R>>, Map<RecordKey, CompletionStage<R>>> update) {
        Map<RecordKey, RecordUpdate<R>> free = new LinkedHashMap<>(updates);
        free.keySet().removeIf(key -> locked.contains(Key.of(key)));
        return orFailed(update.apply(free), updates, key -> sessions.rowLocked(what(key)));
    }

    /** Returns the results. An update that has none has failed. */
    private static <R> Map<RecordKey, CompletionStage<R>> orFailed(
            Map<RecordKey, CompletionStage<R>> results,
            Map<RecordKey, RecordUpdate<R>> updates,
            Function<RecordKey, RuntimeException> failure) {
        Map<RecordKey, CompletionStage<R>> all = new LinkedHashMap<>(results);
        updates.keySet()
                .forEach(key -> all.computeIfAbsent(key, each -> CompletableFuture.failedStage(failure.apply(each))));
        return all;
    }

    /** Updates the rows together, where the database can write many rows by one statement. */
    private <R> Map<RecordKey, CompletionStage<R>> updateFree(Map<RecordKey, RecordUpdate<R>> updates) {
        boolean late = updates.values().stream().anyMatch(update -> update.notAfter() != LockRecord.NEVER);
        return late || !dialect.skipsLocked()
                ? updateEach(updates, false, false)
                : updateTogether(updates, Rounds.first(isHurried()));
    }

    /**
     * The rounds of updates that are made together.
     *
     * @param hurried whether locked rows are not awaited
     * @param number the number of the next round, from 1
     * @param seen the versions of the rows that were not written in the round before
     * @param changed the rows that others have changed between two rounds
     */
    private record Rounds(boolean hurried, int number, Map<RecordKey, OptionalLong> seen, Set<RecordKey> changed) {

        static Rounds first(boolean hurried) {
            return new Rounds(hurried, 1, Map.of(), Set.of());
        }

        Rounds after(Map<RecordKey, OptionalLong> lost) {
            Set<RecordKey> now = new HashSet<>(changed);
            lost.forEach((key, version) -> {
                if (seen.containsKey(key) && !version.equals(seen.get(key))) {
                    now.add(key);
                }
            });
            return new Rounds(hurried, number + 1, lost, now);
        }

        Rounds last() {
            return new Rounds(hurried, MOST_ROUNDS, seen, changed);
        }

        /** Returns {@code true} if the rows that are left are not updated together any more. */
        boolean isOver(Set<RecordKey> left) {
            return number > MOST_ROUNDS || (left.size() <= 1 && (!hurried || changed.containsAll(left)));
        }
    }

    /**
     * Updates the rows together, and repeats those together that have lost a race, or are locked: one by one, they would outlast
     * their leases. In a hurry, those that stay locked fail. Otherwise they are awaited.
     */
    private <R> Map<RecordKey, CompletionStage<R>> updateTogether(
            Map<RecordKey, RecordUpdate<R>> updates, Rounds rounds) {
        if (rounds.isOver(updates.keySet())) {
            return rounds.hurried() ? updateCrowded(updates, rounds.changed()) : updateEach(updates, false, false);
        }
        JointUpdate.Outcome<R> outcome;
        try {
            outcome = together.attempt(updates);
        } catch (RuntimeException e) {
            return updateAfter(e, updates, rounds);
        }
        Map<RecordKey, CompletionStage<R>> results = new LinkedHashMap<>(outcome.results());
        if (!outcome.lost().isEmpty()) {
            config.platform().park(this, Contention.pauseNanos(config.platform(), rounds.number(), false));
            results.putAll(updateTogether(only(outcome.lost().keySet(), updates), rounds.after(outcome.lost())));
        }
        results.putAll(updateEach(only(outcome.alone(), updates), rounds.hurried(), false));
        return results;
    }

    /**
     * Updates rows that were always locked, or written faster by others. One that others have changed is one that a crowd writes: the
     * statements for many rows pass over it each time, so it is reserved. That waits for the row, so it is done for one row only, and
     * only if the wait is short enough for the leases of the others. The other changed rows are tried once more. Those that stay locked
     * and unchanged fail.
     */
    private <R> Map<RecordKey, CompletionStage<R>> updateCrowded(
            Map<RecordKey, RecordUpdate<R>> updates, Set<RecordKey> changed) {
        Map<RecordKey, RecordUpdate<R>> crowded = only(changed, updates);
        long rowWait = dialect.longestRowWaitMillis(config.commandTimeout().toMillis());
        Set<RecordKey> first = rowWait <= shortestLeaseMillis / 3
                ? crowded.keySet().stream().limit(1).collect(toSet())
                : Set.of();
        Map<RecordKey, CompletionStage<R>> results = new LinkedHashMap<>(updateEach(only(first, crowded), false, true));
        Map<RecordKey, RecordUpdate<R>> rest = without(first, crowded);
        results.putAll(rest.isEmpty() ? Map.of() : updateOnce(rest));
        return orFailed(results, updates, key -> sessions.rowLocked(what(key)));
    }

    private static <R> Map<RecordKey, RecordUpdate<R>> only(
            Set<RecordKey> some, Map<RecordKey, RecordUpdate<R>> updates) {
        Map<RecordKey, RecordUpdate<R>> chosen = new LinkedHashMap<>(updates);
        chosen.keySet().retainAll(some);
        return chosen;
    }

    private static <R> Map<RecordKey, RecordUpdate<R>> without(
            Set<RecordKey> some, Map<RecordKey, RecordUpdate<R>> updates) {
        Map<RecordKey, RecordUpdate<R>> chosen = new LinkedHashMap<>(updates);
        chosen.keySet().removeAll(some);
        return chosen;
    }

    /** Updates the rows after a failure of all. If a locked row was awaited, those that stay locked fail, and the others do not. */
    private <R> Map<RecordKey, CompletionStage<R>> updateAfter(
            RuntimeException failure, Map<RecordKey, RecordUpdate<R>> updates, Rounds rounds) {
        boolean ofDatabase = failure instanceof StoreException && failure.getCause() instanceof SQLException;
        boolean locked = ofDatabase && isRowLocked((StoreException) failure);
        if (locked && rounds.number() < MOST_ROUNDS) {
            return exceptLocked(updates, staysLocked(updates.keySet()), free -> updateTogether(free, rounds.last()));
        } else if (locked || !ofDatabase) {
            return updateEach(updates, locked, false);
        }
        return orFailed(Map.of(), updates, key -> failure);
    }

    /**
     * Updates the rows one after the other. One row that stays locked is awaited. The others that are locked then fail at once,
     * so that no number of locked rows delays the rest. Rows that other clients always write faster do not delay the rest either, where
     * the database passes over locked rows: what is left when the time of one request is over is tried together, once.
     *
     * @param awaited whether a locked row was awaited before
     * @param crowded whether they have lost races before
     */
    private <R> Map<RecordKey, CompletionStage<R>> updateEach(
            Map<RecordKey, RecordUpdate<R>> updates, boolean awaited, boolean crowded) {
        Map<RecordKey, CompletionStage<R>> results = new LinkedHashMap<>();
        boolean metALock = awaited;
        Set<Key> locked = awaited ? locked(updates.keySet()).keySet() : Set.of();
        boolean lost = false;
        long end = config.platform().nanoTime() + Contention.limitNanos(config);
        for (Map.Entry<RecordKey, RecordUpdate<R>> each : updates.entrySet()) {
            RecordKey key = each.getKey();
            if (dialect.skipsLocked() && (lost || config.platform().nanoTime() - end >= 0)) {
                results.putAll(updateOnce(without(results.keySet(), updates)));
                return results;
            }
            if (locked.contains(Key.of(key))) {
                results.put(key, CompletableFuture.failedStage(sessions.rowLocked(what(key))));
                continue;
            }
            boolean hurry = metALock;
            int behind = updates.size() - results.size() - 1;
            CompletionStage<R> result = start(() -> retry(key, each.getValue(), hurry, behind, crowded));
            results.put(key, result);
            lost = failed(result, e -> e.effect() == Effect.CONTENDED);
            if (!metALock && failed(result, this::isRowLocked)) {
                metALock = true;
                waitedInVain();
                locked = locked(updates.keySet()).keySet();
            }
        }
        return results;
    }

    /** Tries the updates together. Those that lose a race, or send a message, fail. */
    private <R> Map<RecordKey, CompletionStage<R>> updateOnce(Map<RecordKey, RecordUpdate<R>> updates) {
        try {
            return orFailed(together.attempt(updates).results(), updates, this::outOfTime);
        } catch (RuntimeException e) {
            return orFailed(Map.of(), updates, key -> e);
        }
    }

    private StoreException outOfTime(RecordKey key) {
        return new StoreException(
                Effect.CONTENDED,
                what(key) + ": it has no time left, because other clients write the names before it faster; nothing was"
                        + " applied, retry");
    }

    private static boolean failed(CompletionStage<?> result, Predicate<StoreException> wanted) {
        AtomicBoolean failed = new AtomicBoolean();
        var unused =
                result.whenComplete((reply, error) -> failed.set(error instanceof StoreException e && wanted.test(e)));
        return failed.get();
    }

    /**
     * Returns those of the keys whose rows stay locked and unchanged for longer than another client writes them. A row that a crowd
     * writes is locked at each look, and its version changes.
     */
    Set<Key> staysLocked(Set<RecordKey> all) {
        Map<Key, OptionalLong> locked = locked(all);
        if (!locked.isEmpty()) {
            config.platform().park(this, WRITING_NANOS);
            locked.entrySet().retainAll(locked(all).entrySet());
        }
        return locked.keySet();
    }

    /** Returns those of the keys whose rows are locked now, as far as that can be found out, with their versions. */
    private Map<Key, OptionalLong> locked(Set<RecordKey> all) {
        if (all.isEmpty()) {
            return Map.of();
        }
        List<Key> rows = all.stream().map(Key::of).toList();
        try {
            return sessions.run("renew " + all.size() + " names", connection -> {
                Map<Key, OptionalLong> locked = new HashMap<>();
                dialect.readAll(connection, rows).forEach((key, row) -> locked.put(key, row.version()));
                locked.keySet().removeAll(dialect.unlocked(connection, rows));
                return locked;
            });
        } catch (StoreException e) {
            LOG.debug("each row is tried, because the locked ones are not known", e);
            return Map.of();
        }
    }

    private String what(RecordKey key) {
        return "update " + quoted(keys.name(key));
    }

    /**
     * Repeats an update until no other client is faster. A locked row is awaited, unless the caller is in a hurry.
     *
     * @param behind the number of updates that wait for the end of this one
     * @param crowded whether it has lost races before
     */
    private <R> R retry(RecordKey key, RecordUpdate<R> update, boolean hurry, int behind, boolean crowded) {
        String what = what(key);
        long rowWait = hurry ? 0 : config.commandTimeout().toNanos() / ROW_WAIT_SHARE;
        long lockedUntil = config.platform().nanoTime() + rowWait;
        return Contention.retry(
                config,
                this,
                update,
                dialect.product() + " at " + sessions.address() + ": " + what,
                behind,
                always -> attemptUnlessLocked(what, key, update, crowded || always, hurry || crowded, lockedUntil));
    }

    /**
     * Returns the reply; empty if the request has to begin again, also because its row was locked for a moment. A row that others write
     * one after the other is not locked for good, although a holder may wait for its turn for longer than one statement does.
     */
    private <R> Optional<R> attemptUnlessLocked(
            String what, RecordKey key, RecordUpdate<R> update, boolean crowded, boolean hurry, long lockedUntil) {
        try {
            return sessions.run(what, connection -> attempt(what, connection, key, update, crowded));
        } catch (StoreException e) {
            boolean queued = dialect.skipsLocked() && crowded && !hurry && !update.yields();
            if (!isRowLocked(e) || (!queued && config.platform().nanoTime() - lockedUntil >= 0)) {
                throw e;
            }
            return Optional.empty();
        }
    }

    private boolean isRowLocked(StoreException e) {
        return e.getCause() instanceof SQLException cause && dialect.verdict(cause) == Verdict.LOCKED;
    }

    /** Returns the reply; empty if another writer was faster. */
    private <R> Optional<R> attempt(
            String what, Connection connection, RecordKey key, RecordUpdate<R> update, boolean crowded)
            throws SQLException {
        Row row = read(connection, key, crowded && !update.yields());
        RowChange<R> change = RowChange.decide(key, keys.name(key), row, update);
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
            change.settle(signals, busy);
        } finally {
            signals.looker().end(key);
        }
        notices.forEach(notice -> deliverOwn(key, notice));
        return Optional.of(change.decision().reply());
    }

    /** Reads the row. A request that must not lose yet another race reserves it first, if it can. */
    private Row read(Connection connection, RecordKey key, boolean reserves) throws SQLException {
        Optional<Row> reserved = reserves ? reserve(connection, key) : Optional.empty();
        return reserved.isPresent() ? reserved.get() : dialect.read(connection, Key.of(key));
    }

    private Optional<Row> reserve(Connection connection, RecordKey key) throws SQLException {
        try {
            return dialect.reserve(connection, Key.of(key));
        } catch (SQLException e) {
            if (dialect.verdict(e) == Verdict.AGAIN) {
                return Optional.empty();
            }
            throw e;
        }
    }

    private boolean write(
            String what, Connection connection, RowChange<?> change, long notAfter, List<Message> messages) {
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
        return new Found(key, row.columns().record(keys.name(key)), RowChange.moment(row));
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
