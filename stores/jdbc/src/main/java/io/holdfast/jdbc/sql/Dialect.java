package io.holdfast.jdbc.sql;

import static java.util.stream.Collectors.joining;
import static java.util.stream.Collectors.toMap;

import io.holdfast.support.record.RecordColumns;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The SQL of one kind of database.
 *
 * <p>Invariants:
 *
 * <ol>
 *   <li>Each statement is a transaction of its own. No row stays locked after it.
 *   <li>Each write increases the version of its row, and a new row begins with the clock as its version. So a version is never
 *       used twice for one name, not even if the row was deleted and made again.
 *   <li>Durations are sent to the database, and instants are not, except those that it has told. So the clocks of clients have
 *       no effect.
 * </ol>
 */
public abstract sealed class Dialect permits PostgreSql, H2 {

    private static final String OLD = "used_at < {clock} - ? AND expires_at < {clock} - ? AND last_unit < {clock} - ?";

    private final Tables tables;
    private final String read;
    private final String readAll;
    private final String list;
    private final String insert;
    private final String update;
    private final String unlocked;

    Dialect(Tables tables) {
        this.tables = tables;
        read = sql("SELECT " + Row.COLUMNS + " FROM (SELECT 1 AS one) o LEFT JOIN {locks} l ON l.name = ?");
        readAll = sql("SELECT " + Row.COLUMNS + ", l.name FROM {locks} l WHERE l.name IN ({names})");
        list = sql("SELECT " + Row.COLUMNS + ", l.name FROM {locks} l WHERE l.name >= ? AND l.name < ?"
                + " AND (l.expires_at > {clock} OR l.state IS NOT NULL) ORDER BY l.name FETCH FIRST ? ROWS ONLY");
        insert = sql("INSERT INTO {locks}"
                + " (tenure, expires_at, last_unit, floor_unit, waiters, state, name, version, used_at)"
                + " SELECT CAST(? AS VARCHAR), CAST(? AS BIGINT), CAST(? AS BIGINT), CAST(? AS BIGINT), CAST(? AS INT),"
                + " CAST(? AS VARCHAR), CAST(? AS " + keyType()
                + "), {clock}, {clock} WHERE {clock} <= CAST(? AS BIGINT)");
        update = sql("UPDATE {locks} SET tenure = ?, expires_at = ?, last_unit = ?, floor_unit = ?, waiters = ?,"
                + " state = ?, version = version + 1, used_at = {clock}"
                + " WHERE name = ? AND version = ? AND {clock} <= ?");
        unlocked = sql("SELECT name FROM {locks} WHERE name IN ({names}) FOR UPDATE SKIP LOCKED");
    }

    /** Replaces the names of tables, and the clock. */
    final String sql(String text) {
        return text.replace("{clock}", clock())
                .replace("{locks}", tables.locks())
                .replace("{clients}", tables.clients());
    }

    /** Returns the name of the product, for texts. */
    public abstract String product();

    /** Returns the type of the key. */
    abstract String keyType();

    /** Returns the expression for the time of the database, in microseconds since 1970. */
    abstract String clock();

    /**
     * Returns the time for which the clock may stand still while a statement waits for its row, in microseconds. A statement is
     * late by that time earlier.
     */
    long clockDelayMicros() {
        return 0;
    }

    /** Returns the statements that make the tables. */
    public abstract List<String> schema();

    /**
     * Returns the statements to run on each new connection.
     *
     * @param rowWaitMillis the maximum time for which a statement waits for a locked row
     */
    public abstract List<String> settings(long rowWaitMillis);

    /** Fails if a table is missing or has other columns. */
    public final void check(Connection connection) throws SQLException {
        var unused = Statements.query(
                connection,
                sql("SELECT " + Row.COLUMNS + ", l.name, l.used_at FROM {locks} l WHERE 1 = 0"),
                line -> line.getString(1));
        unused = Statements.query(
                connection,
                sql("SELECT id, identity, CAST(seen_at AS CHAR(20)) FROM {clients} WHERE 1 = 0"),
                line -> line.getString(1));
    }

    /** Returns the guarded statements for locks that nobody waits for; empty if this database has none. */
    public Optional<GuardedStatements> guarded() {
        return Optional.empty();
    }

    /**
     * Returns {@code true} if each write needs a commit of its own. The driver then does not commit by itself, so it cannot send a
     * statement again whose answer was lost.
     */
    public boolean commits() {
        return false;
    }

    /** Returns what a failure of a statement that writes says about its effect. */
    public abstract Verdict verdict(SQLException failure);

    // ---- rows

    /** Returns the row of a name, and the time if there is none. */
    public final Row read(Connection connection, Key key) throws SQLException {
        return Statements.query(connection, read, Row::read, (Object) key.bytes())
                .get(0);
    }

    /** Returns the rows of the names that have one. */
    public final Map<Key, Row> readAll(Connection connection, Collection<Key> keys) throws SQLException {
        List<byte[]> padded = padded(keys.stream().map(Key::bytes).toList());
        String sql = readAll.replace("{names}", repeated("?", padded.size()));
        return Statements.query(connection, sql, Dialect::keyed, padded.toArray()).stream()
                .collect(toMap(Map.Entry::getKey, Map.Entry::getValue));
    }

    private static Map.Entry<Key, Row> keyed(ResultSet line) throws SQLException {
        return Map.entry(Key.of(line.getBytes(9)), Row.read(line));
    }

    /** Repeats the last element up to a power of two, so that few different statements are prepared. */
    static <T> List<T> padded(List<T> some) {
        int size = Integer.highestOneBit(Math.max(1, some.size() * 2 - 1));
        return Stream.concat(some.stream(), Stream.generate(() -> some.get(some.size() - 1)))
                .limit(size)
                .toList();
    }

    /**
     * Returns the rows of names that are in use or set, in their order.
     *
     * @param from the first key of the page
     * @param prefix the prefix of the keys
     */
    public final List<Map.Entry<Key, Row>> list(Connection connection, Key from, Key prefix, int limit)
            throws SQLException {
        return Statements.query(
                connection, list, Dialect::keyed, from.bytes(), prefix.above().bytes(), limit);
    }

    /**
     * Writes a row, unless another writer was faster.
     *
     * @param before the row as it was read
     * @param notAfter the time of the database after which the row is not written
     * @param messages the messages to send if the row was written
     * @return {@code true} if the row was written
     */
    public final boolean write(
            Connection connection, Key key, Row before, RecordColumns after, long notAfter, List<Message> messages)
            throws SQLException {
        return before.version().isPresent()
                ? update(
                        connection,
                        update,
                        arguments(after, key.bytes(), before.version().getAsLong(), notAfter - clockDelayMicros()),
                        messages)
                : insert(connection, arguments(after, key.bytes(), notAfter - clockDelayMicros()));
    }

    /** Runs the update, and sends the messages if it has changed the row. */
    boolean update(Connection connection, String sql, @Nullable Object[] arguments, List<Message> messages)
            throws SQLException {
        return Statements.update(connection, sql, arguments) == 1;
    }

    private boolean insert(Connection connection, @Nullable Object[] arguments) throws SQLException {
        try {
            return Statements.update(connection, insert, arguments) == 1;
        } catch (SQLException e) {
            if (verdict(e) == Verdict.AGAIN) {
                return false;
            }
            throw e;
        }
    }

    private static @Nullable Object[] arguments(RecordColumns columns, Object... where) {
        return Stream.concat(
                        Stream.<@Nullable Object>of(
                                columns.tenure().orElse(null),
                                columns.expires(),
                                columns.lastUnit(),
                                columns.floorUnit(),
                                columns.waiters(),
                                columns.state().orElse(null)),
                        Stream.of(where))
                .toArray();
    }

    /** Returns those of the names whose rows are not locked by another transaction now. */
    public final Set<Key> unlocked(Connection connection, Collection<Key> keys) throws SQLException {
        List<byte[]> padded = padded(keys.stream().map(Key::bytes).toList());
        String sql = unlocked.replace("{names}", repeated("?", padded.size()));
        return Set.copyOf(Statements.query(connection, sql, line -> Key.of(line.getBytes(1)), padded.toArray()));
    }

    /**
     * Returns the rows of names that were not used for some time, in the order of the names. Tokens that were issued ahead of the
     * clock count as used.
     *
     * @param from the first name of the page
     */
    public final List<Map.Entry<Key, Row>> unused(Connection connection, Key from, long unusedMicros, int limit)
            throws SQLException {
        return Statements.query(
                connection,
                sql("SELECT " + Row.COLUMNS + ", l.name FROM {locks} l WHERE l.name >= ? AND " + OLD
                        + " ORDER BY l.name FETCH FIRST ? ROWS ONLY"),
                Dialect::keyed,
                from.bytes(),
                unusedMicros,
                unusedMicros,
                unusedMicros,
                limit);
    }

    /** Deletes a row, unless another client has written it since it was read. Returns {@code true} if it is gone. */
    public final boolean delete(Connection connection, Key key, Row row) throws SQLException {
        return Statements.update(
                        connection,
                        sql("DELETE FROM {locks} WHERE name = ? AND version = ?"),
                        key.bytes(),
                        row.version().orElseThrow())
                == 1;
    }

    // ---- clients

    /** Returns the texts that clients have written about themselves. */
    public final Map<String, String> clients(Connection connection, List<String> ids) throws SQLException {
        List<String> padded = padded(ids);
        return Statements.query(
                        connection,
                        sql("SELECT id, identity FROM {clients} WHERE id IN (" + repeated("?", padded.size()) + ")"),
                        line -> Map.entry(line.getString(1), line.getString(2)),
                        padded.toArray())
                .stream()
                .collect(toMap(Map.Entry::getKey, Map.Entry::getValue));
    }

    /** Writes what a client says about itself. Returns {@code true} if it was written before. */
    public final boolean introduce(Connection connection, String id, String text) throws SQLException {
        boolean known = Statements.update(
                        connection, sql("UPDATE {clients} SET identity = ?, seen_at = {clock} WHERE id = ?"), text, id)
                == 1;
        if (!known) {
            var unused = Statements.update(
                    connection, sql("INSERT INTO {clients} (identity, id, seen_at) VALUES (?, ?, {clock})"), text, id);
        }
        return known;
    }

    /** Deletes what a client has written about itself. Returns {@code true} if there was something. */
    public final boolean forget(Connection connection, String id) throws SQLException {
        return Statements.update(connection, sql("DELETE FROM {clients} WHERE id = ?"), id) == 1;
    }

    /** Deletes what clients have written about themselves that were not seen for some time. Returns their number. */
    public final int forgetUnseen(Connection connection, long micros) throws SQLException {
        return Statements.update(connection, sql("DELETE FROM {clients} WHERE seen_at < {clock} - ?"), micros);
    }

    /** Returns placeholders for a number of values, with the given text for each. */
    static String repeated(String each, int count) {
        return Stream.generate(() -> each).limit(count).collect(joining(", "));
    }
}
