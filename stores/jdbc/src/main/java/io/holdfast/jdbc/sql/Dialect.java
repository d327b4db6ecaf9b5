package io.holdfast.jdbc.sql;

import static java.util.stream.Collectors.joining;
import static java.util.stream.Collectors.toMap;

import io.holdfast.support.record.RecordColumns;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.IntStream;
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
 *   <li>A row that a client has {@linkplain #reserve reserved} is not written by the requests of others that read it first, until the
 *       reservation ends by itself. So one that is stopped delays others for a moment only. The version alone decides whether a write
 *       is right.
 *   <li>Durations are sent to the database, and instants are not, except those that it has told. So the clocks of clients have
 *       no effect.
 * </ol>
 */
public abstract sealed class Dialect permits PostgreSql, MySql, H2 {

    private static final Set<Integer> TEXT = Set.of(Types.CHAR, Types.VARCHAR, Types.LONGVARCHAR, Types.CLOB);
    private static final Set<Integer> LONG = Set.of(Types.BIGINT);
    private static final Set<Integer> INT = Set.of(Types.INTEGER);
    private static final Set<Integer> NUMBER = Set.of(Types.INTEGER, Types.BIGINT);

    /** The columns of a record, in the order of the statements that write them. */
    static final List<Function<RecordColumns, @Nullable Object>> WRITTEN_COLUMNS = List.of(
            columns -> columns.tenure().orElse(null),
            RecordColumns::expires,
            RecordColumns::lastUnit,
            RecordColumns::floorUnit,
            RecordColumns::waiters,
            columns -> columns.state().orElse(null));

    private static final long MAX_ROW_WAIT_MILLIS = 10_000;

    private static final String OLD = "used_at < {clock} - ? AND expires_at < {clock} - ? AND last_unit < {clock} - ?";

    /** The time for which a row is reserved. Those that wait for the row are told one after the other that it is, each by a slow commit. */
    private static final long RESERVED_MICROS = 500_000;

    private final Tables tables;

    /**
     * The tables as statements name them.
     *
     * @param schema the schema in which the first connection has found them; empty before that, and if the user has named it
     */
    private record Located(String schema, Tables tables) {}

    /** Written while the first connection is prepared. */
    private volatile Located located;

    private final String read;
    private final String readAll;
    private final String list;
    private final String insert;
    private final String update;
    private final String updateReserved;
    private final String unlocked;

    Dialect(Tables tables) {
        this.tables = tables;
        located = new Located("", tables);
        read = sql("SELECT " + Row.COLUMNS + " FROM (SELECT 1 AS one) o LEFT JOIN {locks} l ON l.name = ?");
        readAll = sql("SELECT " + Row.COLUMNS + ", l.name FROM {locks} l WHERE l.name IN ({names})");
        list = sql("SELECT " + Row.COLUMNS + ", l.name FROM {locks} l WHERE l.name >= ? AND l.name < ?"
                + " AND (l.expires_at > {clock} OR l.state IS NOT NULL) ORDER BY l.name {page}");
        insert = sql("INSERT INTO {locks}"
                + " (tenure, expires_at, last_unit, floor_unit, waiters, state, name, version, used_at) SELECT "
                + parameter("VARCHAR") + ", " + repeated(parameter("BIGINT"), 3) + ", " + parameter("INT") + ", "
                + parameter("VARCHAR") + ", " + parameter(keyType())
                + ", {clock}, {clock} FROM (SELECT 1 AS one) o WHERE {clock} <= " + parameter("BIGINT"));
        String write = "UPDATE {locks} SET tenure = ?, expires_at = ?, last_unit = ?, floor_unit = ?, waiters = ?,"
                + " state = ?, version = version + 1, used_at = {clock}"
                + " WHERE name = ? AND version = ? AND {clock} <= ? AND ";
        update = sql(write + "{unreserved}");
        updateReserved = sql(write + "used_at = ?");
        unlocked = sql("SELECT name FROM {locks} WHERE name IN ({names}) " + lockOfWrite() + " SKIP LOCKED");
    }

    /** Replaces the clock, and what else depends on the database. */
    final String sql(String text) {
        return text.replace("{unreserved}", unreserved())
                .replace("{reservation}", "{clock} + " + RESERVED_MICROS)
                .replace("{clock}", clock())
                .replace("{run}", run())
                .replace("{page}", page());
    }

    /** Returns the condition that no client has reserved the row. An end that is far away is left from before the clock was set back. */
    String unreserved() {
        return "(used_at <= {clock} OR used_at > {clock} + " + RESERVED_MICROS + ")";
    }

    /** Replaces the names of the tables. */
    final String named(String text) {
        Tables now = located.tables();
        return text.replace("{locks}", now.locks()).replace("{clients}", now.clients());
    }

    /** Returns how the database finds a table. */
    abstract Catalog catalog();

    /**
     * Finds the schema of the tables, as the session of a connection finds it, unless the user has named it in the name of the
     * tables. All statements name it from then on.
     *
     * @return {@code false} if the session has no schema
     */
    public final boolean locate(Connection connection) throws SQLException {
        if (tables.schema().isPresent()) {
            return true;
        }
        Optional<String> found = catalog().schema(connection, tables.records());
        found.ifPresent(name -> located = new Located(name, tables.in(catalog().quoted(name))));
        return found.isPresent();
    }

    /**
     * Returns the text for tables of that name in several schemas, of which other clients may use another one; empty if there is
     * one, or if the user has named the schema.
     */
    public final Optional<String> ambiguity(Connection connection) throws SQLException {
        if (tables.named()) {
            return Optional.empty();
        }
        String schema = located.schema();
        List<String> others = catalog().others(connection, schema, tables.records());
        return others.isEmpty()
                ? Optional.empty()
                : Optional.of(Catalog.ambiguous(tables.records(), schema, others)
                        + "; clients of one do not exclude those of another; name the schema of the tables by"
                        + " tablePrefix=SCHEMA." + tables.prefix() + ", or drop the tables that nobody uses");
    }

    /** Returns the text for a session that has no schema. */
    public final String noSchema() {
        return "its session has no schema; name one in the URL, or by tablePrefix=SCHEMA." + tables.prefix();
    }

    /** Returns the name of the product, for texts. */
    public abstract String product();

    /** Returns the type to cast a key to. It must not truncate a key. */
    abstract String keyType();

    /** Returns the type of the column of keys, as in {@link Types}. One that pads a key would change it. */
    int keyColumn() {
        return Types.VARBINARY;
    }

    /** Returns a parameter of a type, where the database cannot derive its type. */
    String parameter(String type) {
        return "CAST(? AS " + type + ")";
    }

    /** Returns the clause that limits the number of rows to a parameter. */
    String page() {
        return "FETCH FIRST ? ROWS ONLY";
    }

    /** Returns the expression for the time of the database, in microseconds since 1970, as a BIGINT that moves in microseconds. */
    abstract String clock();

    /** Returns the expression for the start of the server, by which two readings of its clock can be compared; 0 if it has none. */
    String run() {
        return "0";
    }

    /**
     * Returns the time for which the clock may stand still while a statement waits for its row, in microseconds. A statement is
     * late by that time earlier.
     */
    long clockDelayMicros() {
        return 0;
    }

    /** Returns the statements that make the tables. */
    public final List<String> schema() {
        return tablesToCreate().stream().map(this::named).toList();
    }

    abstract List<String> tablesToCreate();

    /**
     * Returns the statements to run on each new connection.
     *
     * @param commandMillis the command timeout of the client
     */
    public abstract List<String> settings(long commandMillis);

    /**
     * Applies the {@link #settings} to a new connection. Returns the connection to use, which may be a view of it.
     *
     * @param commandMillis the command timeout of the client
     */
    public Connection configured(Connection connection, long commandMillis) throws SQLException {
        for (String setting : settings(commandMillis)) {
            var unused = Statements.update(connection, setting);
        }
        return connection;
    }

    /** Returns the statements that put a session back as it is now, after {@link #configured}. */
    public abstract List<String> restoring(Connection connection) throws SQLException;

    /** Returns the time for which a statement waits for a locked row. */
    static long rowWaitMillis(long commandMillis) {
        return Math.min(MAX_ROW_WAIT_MILLIS, commandMillis / 4);
    }

    /** Returns the longest time for which a statement waits for a locked row, as far as the server keeps to it. */
    public long longestRowWaitMillis(long commandMillis) {
        return rowWaitMillis(commandMillis);
    }

    /**
     * Returns the maximum wait for an answer on a connection that is open; 0 if the driver cannot limit it.
     *
     * @param commandMillis the command timeout of the client
     */
    public long networkMillis(long commandMillis) {
        return commandMillis;
    }

    /** Fails if the database cannot keep what it commits, or cannot tell the time, with a failure that {@link #codes} lists. */
    public void requireSafe(Connection connection) throws SQLException {}

    /**
     * Fails if the database accepts writes at several nodes, each of which has a clock of its own, with a failure that {@link #codes}
     * lists. The user may state that all clients write at one node.
     */
    public void requireOneWriter(Connection connection) throws SQLException {}

    /** Returns a warning about a server with which locks may not work; empty if there is none. */
    public Optional<String> concern(Connection connection) throws SQLException {
        return Optional.empty();
    }

    /**
     * Checks the tables, and the rights on them. Changes no row.
     *
     * @return {@code false} if a column has another type
     * @throws SQLException if a table or a column is missing, or if the user lacks a right
     */
    public final boolean check(Connection connection) throws SQLException {
        List<Integer> types = new ArrayList<>(Statements.types(
                connection,
                named(sql("SELECT " + Row.COLUMNS + ", l.name, l.used_at, l.version FROM {locks} l WHERE l.name = ?")),
                (Object) Key.first().bytes()));
        types.addAll(
                Statements.types(connection, named("SELECT id, identity, seen_at FROM {clients} WHERE id = ?"), ""));
        requireRights(connection);
        List<Set<Integer>> expected = List.of(
                TEXT,
                LONG,
                LONG,
                LONG,
                INT,
                TEXT,
                LONG,
                LONG,
                NUMBER,
                Set.of(keyColumn()),
                LONG,
                LONG,
                TEXT,
                TEXT,
                LONG);
        return IntStream.range(0, types.size()).allMatch(i -> expected.get(i).contains(types.get(i)));
    }

    /** Runs each kind of statement on a row that cannot exist. */
    private void requireRights(Connection connection) throws SQLException {
        byte[] none = Key.first().bytes();
        var unused = Statements.update(connection, named("DELETE FROM {locks} WHERE name = ?"), (Object) none);
        unused = Statements.update(connection, named("UPDATE {locks} SET waiters = 0 WHERE name = ?"), (Object) none);
        unused = Statements.update(
                connection,
                named("INSERT INTO {locks} (name, expires_at, last_unit, floor_unit, version, used_at)"
                        + " SELECT name, 0, 0, 0, 0, 0 FROM {locks} WHERE name = ?"),
                (Object) none);
        unused = Statements.update(connection, named("DELETE FROM {clients} WHERE id = ?"), "");
        unused = Statements.update(connection, named("UPDATE {clients} SET seen_at = 0 WHERE id = ?"), "");
        unused = Statements.update(
                connection,
                named("INSERT INTO {clients} (id, identity, seen_at) SELECT id, '', 0 FROM {clients} WHERE id = ?"),
                "");
        var unusedRow = reserve(connection, Key.first());
    }

    /** Returns the guarded statements for locks that nobody waits for; empty if this database has none. */
    public Optional<GuardedStatements> guarded() {
        return Optional.empty();
    }

    /** Returns the messages between clients; empty if this database carries none. */
    public Optional<Messages> messages() {
        return Optional.empty();
    }

    /**
     * Returns {@code true} if each write needs a commit of its own. The driver then does not commit by itself, so it cannot send a
     * statement again whose answer was lost.
     */
    public boolean commits() {
        return false;
    }

    /** Returns the failures of this database, by their codes. */
    public abstract FailureCodes codes();

    /** Returns a failure to connect with a code of its own, if its driver gives it one that says too little. */
    public SQLException explained(SQLException failure) {
        return failure;
    }

    /** Returns what a failure of a statement that writes says about its effect. */
    public final Verdict verdict(SQLException failure) {
        return codes().verdict(failure);
    }

    // ---- texts about failures

    /** Another transaction keeps the row locked. */
    public static final String ROW_IS_LOCKED =
            "the row of the lock is locked by another transaction; end that transaction, or find out why commits are slow";

    /** The SQL state of a failure because the clock of the session cannot be trusted. */
    static final String NO_CLOCK = "HYHF3";

    /** The class of the SQL states for values that the database does not accept. */
    static final String BAD_VALUE = "22";

    static final String LOGIN = "it does not accept user and password; check them in the URL";
    static final String TOO_LONG = "the lock name and keyPrefix together are too long";
    static final String DISK_IS_FULL = "its disk is full";
    static final String READ_ONLY =
            "it is read-only, as a replica is; connect to the primary, or let the transactions of the user write";

    final String rights() {
        return "the user lacks a right; grant select, insert, update and delete on the tables " + tables.locks()
                + " and " + tables.clients() + ", and create table if they do not exist";
    }

    final String tableIsMissing() {
        return "table " + tables.locks() + " or " + tables.clients()
                + " was dropped; the next request makes it again, unless createTables=false";
    }

    /** Returns the text for tables that are missing, and are not to be created. */
    public final String createByHand() {
        return "table " + tables.locks() + " or " + tables.clients()
                + " does not exist, and the URL forbids to create it; create both as docs/databases.md shows";
    }

    /** Returns the text for a table that has other columns. */
    public final String otherTable() {
        return "table " + tables.locks() + " or " + tables.clients()
                + " has other columns, as an earlier version or another program has made it;"
                + " rename it, and a new one will be created";
    }

    // ---- rows

    /** Returns the row of a name, and the time if there is none. */
    public final Row read(Connection connection, Key key) throws SQLException {
        return Statements.query(connection, named(read), Row::read, (Object) key.bytes())
                .get(0);
    }

    /** Returns the rows of the names that have one. */
    public final Map<Key, Row> readAll(Connection connection, Collection<Key> keys) throws SQLException {
        return rows(connection, "", keys);
    }

    /**
     * Returns those rows of the names for which a condition holds.
     *
     * @param condition the text behind the condition on the names
     */
    private Map<Key, Row> rows(Connection connection, String condition, Collection<Key> keys, Object... arguments)
            throws SQLException {
        List<byte[]> padded = padded(keys.stream().map(Key::bytes).toList());
        String sql = named(readAll).replace("{names}", repeated("?", padded.size())) + condition;
        return Statements.query(
                        connection,
                        sql,
                        Dialect::keyed,
                        Stream.concat(padded.stream(), Stream.of(arguments)).toArray())
                .stream()
                .collect(toMap(Map.Entry::getKey, Map.Entry::getValue));
    }

    private static Map.Entry<Key, Row> keyed(ResultSet line) throws SQLException {
        return Map.entry(Key.of(line.getBytes(10)), Row.read(line));
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
                connection,
                named(list),
                Dialect::keyed,
                from.bytes(),
                prefix.above().bytes(),
                limit);
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
        long latest = notAfter - clockDelayMicros();
        if (before.version().isEmpty()) {
            return insert(connection, arguments(after, key.bytes(), latest));
        }
        long version = before.version().getAsLong();
        return before.reservedUntil() == 0
                ? update(connection, named(update), arguments(after, key.bytes(), version, latest), messages)
                : update(
                        connection,
                        named(updateReserved),
                        arguments(after, key.bytes(), version, latest, before.reservedUntil()),
                        messages);
    }

    /**
     * Reserves a row for a moment, and reads it. Until the row is written, or the moment has passed, a {@link #write} of any other
     * request fails as if somebody had been faster. It waits its turn if the row is locked, because a row that a crowd writes is never
     * free. A statement that begins after it does not lock the row.
     *
     * @return empty if there is no row, if another request has reserved it, or if this database reserves none
     */
    public Optional<Row> reserve(Connection connection, Key key) throws SQLException {
        return Optional.empty();
    }

    /**
     * A row to write, if its version is still the same.
     *
     * @param version the version of the row as it was read
     */
    public record Written(Key key, long version, RecordColumns after) {

        /** Returns {@code true} if a row, as it is now, is as it was to be written. */
        boolean isWrittenIn(@Nullable Row now) {
            return now != null
                    && now.version().equals(OptionalLong.of(version + 1))
                    && now.columns().equals(after);
        }
    }

    /**
     * Returns {@code true} if one statement for many rows can skip those that are locked. {@link #writeAll} and {@link #addEmpty} are
     * supported then, and a hurried {@link GuardedStatements#renew} waits for no locked row.
     */
    public boolean skipsLocked() {
        return false;
    }

    /**
     * Writes different rows by one statement, and returns the keys of those for which no other writer was faster. It waits for no
     * locked row.
     */
    public Set<Key> writeAll(Connection connection, List<Written> rows) throws SQLException {
        throw new UnsupportedOperationException();
    }

    /** Adds a row without a holder for each key that has none, by one statement. Returns the number of rows it has changed. */
    public int addEmpty(Connection connection, Collection<Key> keys) throws SQLException {
        throw new UnsupportedOperationException();
    }

    /** Runs the update, and sends the messages if it has changed the row. */
    boolean update(Connection connection, String sql, @Nullable Object[] arguments, List<Message> messages)
            throws SQLException {
        return Statements.update(connection, sql, arguments) == 1;
    }

    private boolean insert(Connection connection, @Nullable Object[] arguments) throws SQLException {
        try {
            return Statements.update(connection, named(insert), arguments) == 1;
        } catch (SQLException e) {
            if (verdict(e) == Verdict.AGAIN) {
                return false;
            }
            throw e;
        }
    }

    private static @Nullable Object[] arguments(RecordColumns columns, Object... where) {
        Stream<@Nullable Object> written = WRITTEN_COLUMNS.stream().map(column -> column.apply(columns));
        return Stream.concat(written, Stream.of(where)).toArray();
    }

    /** Returns the clause by which a query locks rows as a write of their columns does. */
    String lockOfWrite() {
        return "FOR UPDATE";
    }

    /** Returns those of the names whose rows are not locked by another transaction now. */
    public final Set<Key> unlocked(Connection connection, Collection<Key> keys) throws SQLException {
        List<byte[]> padded = padded(keys.stream().map(Key::bytes).toList());
        String sql = named(unlocked).replace("{names}", repeated("?", padded.size()));
        return Set.copyOf(Statements.query(connection, sql, line -> Key.of(line.getBytes(1)), padded.toArray()));
    }

    /**
     * Returns some keys in their order, of used and unused names alike: the primary key leads to them, however many rows there are.
     *
     * @param from the first key of the page
     */
    public final List<Key> keys(Connection connection, Key from, int limit) throws SQLException {
        return Statements.query(
                connection,
                named(sql("SELECT l.name FROM {locks} l WHERE l.name >= ? ORDER BY l.name {page}")),
                line -> Key.of(line.getBytes(1)),
                from.bytes(),
                limit);
    }

    /**
     * Returns the rows of those of the names that were not used for some time. Tokens that were issued ahead of the clock count as
     * used.
     */
    public final Map<Key, Row> unused(Connection connection, Collection<Key> keys, long unusedMicros)
            throws SQLException {
        return rows(connection, sql(" AND " + OLD), keys, unusedMicros, unusedMicros, unusedMicros);
    }

    /** Deletes a row, unless another client has written it since it was read. Returns {@code true} if it is gone. */
    public final boolean delete(Connection connection, Key key, Row row) throws SQLException {
        return Statements.update(
                        connection,
                        named("DELETE FROM {locks} WHERE name = ? AND version = ?"),
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
                        named("SELECT id, identity FROM {clients} WHERE id IN (" + repeated("?", padded.size()) + ")"),
                        line -> Map.entry(line.getString(1), line.getString(2)),
                        padded.toArray())
                .stream()
                .collect(toMap(Map.Entry::getKey, Map.Entry::getValue));
    }

    /** Writes what a client says about itself. Returns {@code true} if it was written before. */
    public final boolean introduce(Connection connection, String id, String text) throws SQLException {
        boolean known = Statements.update(
                        connection,
                        named(sql("UPDATE {clients} SET identity = ?, seen_at = {clock} WHERE id = ?")),
                        text,
                        id)
                == 1;
        if (!known) {
            var unused = Statements.update(
                    connection,
                    named(sql("INSERT INTO {clients} (identity, id, seen_at) VALUES (?, ?, {clock})")),
                    text,
                    id);
        }
        return known;
    }

    /** Deletes what a client has written about itself. Returns {@code true} if there was something. */
    public final boolean forget(Connection connection, String id) throws SQLException {
        return Statements.update(connection, named("DELETE FROM {clients} WHERE id = ?"), id) == 1;
    }

    /** Deletes what clients have written about themselves that were not seen for some time. Returns their number. */
    public final int forgetUnseen(Connection connection, long micros) throws SQLException {
        return Statements.update(connection, named(sql("DELETE FROM {clients} WHERE seen_at < {clock} - ?")), micros);
    }

    /** Returns placeholders for a number of values, with the given text for each. */
    static String repeated(String each, int count) {
        return Stream.generate(() -> each).limit(count).collect(joining(", "));
    }
}
