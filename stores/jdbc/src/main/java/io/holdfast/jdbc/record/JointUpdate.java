package io.holdfast.jdbc.record;

import io.holdfast.jdbc.sql.Dialect;
import io.holdfast.jdbc.sql.Key;
import io.holdfast.jdbc.sql.Row;
import io.holdfast.support.store.BusyNames;
import io.holdfast.support.store.RecordKey;
import io.holdfast.support.store.RecordKeys;
import io.holdfast.support.store.RecordUpdate;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * Updates of several rows: one query reads the rows, each is decided, and one statement writes those whose version is still the
 * same.
 */
record JointUpdate(RecordKeys keys, Dialect dialect, Sessions sessions, Signals signals, BusyNames busy) {

    /**
     * The outcome.
     *
     * @param results the results of those that are done, or cannot be decided
     * @param lost those whose row was missing, and those for which another writer was faster, or may have been, with the version
     *     that was read. Some of them may be written, which does no harm, because a renewal may be repeated
     * @param alone those that have to be made one by one, because they send a message
     */
    record Outcome<R>(
            Map<RecordKey, CompletionStage<R>> results, Map<RecordKey, OptionalLong> lost, Set<RecordKey> alone) {}

    /**
     * Makes the updates.
     *
     * @throws io.holdfast.spi.StoreException if a statement fails; some rows may be written then
     */
    <R> Outcome<R> attempt(Map<RecordKey, RecordUpdate<R>> updates) {
        String what = "update " + updates.size() + " names";
        return sessions.run(what, connection -> attempt(what, connection, updates));
    }

    private <R> Outcome<R> attempt(String what, Connection connection, Map<RecordKey, RecordUpdate<R>> updates)
            throws SQLException {
        // in the order of the keys, so that two clients do not lock rows in opposite orders (deadlock)
        Map<RecordKey, RecordUpdate<R>> sorted = new TreeMap<>(Comparator.comparing(Key::of));
        sorted.putAll(updates);
        Map<Key, Row> rows = dialect.readAll(
                connection, sorted.keySet().stream().map(Key::of).toList());
        Outcome<R> outcome = new Outcome<>(new LinkedHashMap<>(), new LinkedHashMap<>(), new HashSet<>());
        List<RowChange<R>> changes = new ArrayList<>();
        List<Key> missing = new ArrayList<>();
        sorted.forEach((key, update) -> {
            Row row = rows.get(Key.of(key));
            if (row == null) {
                missing.add(Key.of(key));
                outcome.lost().put(key, OptionalLong.empty());
            } else {
                decide(key, row, update, changes, outcome);
            }
        });
        addMissing(what, connection, missing);
        write(what, connection, changes, outcome);
        return outcome;
    }

    /** Adds the missing rows together: after the table was emptied, one by one would outlast the leases of all other locks. */
    private void addMissing(String what, Connection connection, List<Key> missing) {
        if (!missing.isEmpty()) {
            var unused = sessions.write(what, connection, () -> dialect.addEmpty(connection, missing));
        }
    }

    /** Decides on one row. If that fails, only this update fails. */
    private <R> void decide(
            RecordKey key, Row row, RecordUpdate<R> update, List<RowChange<R>> changes, Outcome<R> outcome) {
        try {
            RowChange<R> change = RowChange.decide(key, keys.name(key), row, update);
            if (change.decision().notices().isEmpty()) {
                changes.add(change);
            } else {
                outcome.alone().add(key);
            }
        } catch (RuntimeException e) {
            outcome.results().put(key, CompletableFuture.failedStage(e));
        }
    }

    private <R> void write(String what, Connection connection, List<RowChange<R>> changes, Outcome<R> outcome) {
        changes.forEach(change -> signals.looker().begin(change.key()));
        try {
            Set<Key> written = write(what, connection, changes);
            changes.forEach(change -> {
                if (!change.writes() || written.contains(Key.of(change.key()))) {
                    change.settle(signals, busy);
                    outcome.results()
                            .put(
                                    change.key(),
                                    TableRecords.completed(change.decision().reply()));
                } else {
                    outcome.lost().put(change.key(), change.row().version());
                }
            });
        } finally {
            changes.forEach(change -> signals.looker().end(change.key()));
        }
    }

    private <R> Set<Key> write(String what, Connection connection, List<RowChange<R>> changes) {
        List<Dialect.Written> rows = changes.stream()
                .filter(RowChange::writes)
                .map(RowChange::written)
                .toList();
        return rows.isEmpty()
                ? Set.of()
                : sessions.write(what, connection, () -> dialect.writeAll(connection, rows))
                        .orElse(Set.of());
    }
}
