package io.holdfast.jdbc.sql;

import io.holdfast.jdbc.sql.FailureCodes.Health;
import java.sql.Array;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.Statement;
import java.sql.Types;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;

/**
 * PostgreSQL.
 *
 * <p>The clock is {@code clock_timestamp()}, because {@code now()} stands still within a statement. A guard is evaluated again
 * when the row has changed while the statement waited for it.
 *
 * <p>No column but the primary key has an index, and each page keeps half of its space free. So most updates write no index
 * (heap-only tuples).
 */
public final class PostgreSql extends Dialect implements GuardedStatements, Messages {

    /** Asks for the name and the version of the product. */
    public static final String VERSION = "SELECT version()";

    private static final String PRODUCT = "PostgreSQL";

    /** The names of products whose version begins like that of PostgreSQL. */
    private static final Pattern OTHERS = Pattern.compile("-YB-|Redshift|Greenplum|Materialize|RisingWave");

    /** The rows that no other transaction locks. A lock of the key, as by a foreign key, does not delay a write of other columns. */
    private static final String FREE = "(SELECT name FROM {locks} WHERE name = ANY (?) FOR NO KEY UPDATE SKIP LOCKED)";

    /**
     * Makes the commit of a statement whose update, named {@code w}, has changed no row wait for no disk and no replica. An update that
     * has waited for a row has locked it when it finds that it came too late, and that lock is committed like a change. So each writer
     * of a crowd that was too late would keep the row from the others for as long as a change does.
     */
    private static final String END_SOON =
            "CASE WHEN NOT EXISTS (SELECT FROM w) THEN pg_catalog.set_config('synchronous_commit', 'off', true) END";

    private final FailureCodes codes;
    private final String acquire;
    private final String release;
    private final String renew;
    private final String renewFree;
    private final String reserve;
    private final String writeAll;
    private final String addEmpty;

    /** Creates the SQL for the given tables. */
    public PostgreSql(Tables tables) {
        super(tables);
        codes = FailureCodes.byState()
                .with(Verdict.AGAIN, "40001", "40P01", "23505")
                .meaning(Verdict.LOCKED, ROW_IS_LOCKED, "55P03")
                .meaning(Verdict.NOT_APPLIED, "the statement was canceled, or took too long", "57014", "25P03")
                .meaning(Verdict.NOT_APPLIED, READ_ONLY, "25006")
                .meaning(Verdict.NOT_APPLIED, "it starts, stops or recovers; connections are retried", "57P03")
                .with(Verdict.NOT_APPLIED, "53")
                .with(Verdict.REFUSED, BAD_VALUE)
                .meaning(Verdict.NOT_APPLIED, DISK_IS_FULL, "53100")
                .meaning(Verdict.NOT_APPLIED, "it has no connection left; see max_connections", "53300")
                .meaning(Verdict.UNKNOWN, "it has ended the connection", "57P01", "57P02", "57P05")
                .with(Verdict.UNKNOWN, "08", "58", "XX")
                .meaning(Verdict.REFUSED, LOGIN, "28")
                .meaning(Verdict.REFUSED, rights() + "; and execute on the function set_config", "42501")
                .meaning(Verdict.REFUSED, "the database in the URL does not exist", "3D000")
                .meaning(Verdict.REFUSED, "the schema of the tables does not exist; check tablePrefix", "3F000")
                .meaning(Verdict.REFUSED, TOO_LONG, "22001")
                .meaning(
                        Verdict.NOT_APPLIED,
                        "its queue of notifications is full; end the session that listens in an open transaction",
                        "54000")
                .meaning(
                        Verdict.NOT_APPLIED,
                        "a connection pooler has lost a prepared statement; connect to the server itself",
                        "42P05",
                        "26000")
                .with(Verdict.NOT_APPLIED, PooledTransaction.NOT_COMMITTED)
                .meaning(Verdict.NO_TABLE, tableIsMissing(), "42P01")
                .meaning(Verdict.OTHER_TABLE, otherTable(), "42703", "42804", "42883")
                .health(
                        Health.BAD,
                        "08",
                        "57P01",
                        "57P02",
                        "57P03",
                        "57P05",
                        "25P03",
                        "25P04",
                        PooledTransaction.NOT_COMMITTED)
                .health(Health.READ_ONLY, "25006")
                // it has lost its prepared statements
                .health(Health.BAD, "42P05", "26000");
        acquire = sql(
                "UPDATE {locks} SET floor_unit = CASE WHEN tenure = ? AND expires_at > {clock} THEN floor_unit ELSE last_unit END,"
                        + " expires_at = GREATEST(expires_at, {clock} + ?), last_unit = GREATEST(last_unit + 1, {clock}),"
                        + " tenure = ?, version = version + 1, used_at = {clock}"
                        + " WHERE name = ? AND state IS NULL AND (tenure = ? OR expires_at <= {clock}) AND {clock} <= ?"
                        + " RETURNING last_unit, used_at");
        release = sql("UPDATE {locks} SET expires_at = 0, tenure = NULL, version = version + 1, used_at = {clock},"
                + " last_unit = LEAST(last_unit, GREATEST(?, floor_unit)) + 1,"
                + " floor_unit = LEAST(last_unit, GREATEST(?, floor_unit)) + 1"
                + " WHERE name = ? AND tenure = ? AND state IS NULL AND expires_at > {clock} RETURNING used_at");
        String renewal = sql("UPDATE {locks} l SET expires_at = GREATEST(expires_at, {clock} + v.lease),"
                + " version = version + 1, used_at = {clock}"
                + " FROM unnest(?::bytea[], ?::text[], ?::bigint[]) AS v(name, tenure, lease)"
                + " WHERE l.name = v.name AND l.tenure = v.tenure AND l.expires_at > {clock}{free}"
                + " RETURNING l.name, l.tenure, l.waiters, l.used_at");
        renew = renewal.replace("{free}", "");
        renewFree = renewal.replace("{free}", sql(" AND l.name IN " + FREE));
        reserve = sql("WITH w AS (UPDATE {locks} l SET used_at = {reservation}, version = l.version + 1"
                + " WHERE l.name = ? AND {unreserved} RETURNING " + Row.COLUMNS + ", l.used_at)"
                + " SELECT w.* FROM (SELECT " + END_SOON + " AS ends) o LEFT JOIN w ON true WHERE o.ends IS NULL");
        writeAll = sql("UPDATE {locks} l SET tenure = v.tenure, expires_at = v.expires_at, last_unit = v.last_unit,"
                + " floor_unit = v.floor_unit, waiters = v.waiters, state = v.state, version = l.version + 1,"
                + " used_at = {clock} FROM unnest(?::bytea[], ?::bigint[], ?::text[], ?::bigint[], ?::bigint[],"
                + " ?::bigint[], ?::int[], ?::text[]) AS v(name, version, tenure, expires_at, last_unit, floor_unit,"
                + " waiters, state) WHERE l.name = v.name AND l.version = v.version AND l.name IN " + FREE
                + " RETURNING l.name");
        addEmpty = sql("INSERT INTO {locks} (name, expires_at, last_unit, floor_unit, version, used_at)"
                + " SELECT name, 0, 0, 0, {clock}, {clock} FROM unnest(?::bytea[]) AS v(name) ON CONFLICT DO NOTHING");
    }

    @Override
    public boolean skipsLocked() {
        return true;
    }

    @Override
    public Set<Key> writeAll(Connection connection, List<Written> rows) throws SQLException {
        Array names = names(connection, rows.stream().map(Written::key));
        return Set.copyOf(Statements.query(
                connection,
                named(writeAll),
                line -> Key.of(line.getBytes(1)),
                names,
                array(connection, "bigint", rows, Written::version),
                array(connection, "text", rows, row -> row.after().tenure().orElse(null)),
                array(connection, "bigint", rows, row -> row.after().expires()),
                array(connection, "bigint", rows, row -> row.after().lastUnit()),
                array(connection, "bigint", rows, row -> row.after().floorUnit()),
                array(connection, "int", rows, row -> row.after().waiters()),
                array(connection, "text", rows, row -> row.after().state().orElse(null)),
                names));
    }

    @Override
    public Optional<Row> reserve(Connection connection, Key key) throws SQLException {
        return Statements.query(connection, named(reserve), Row::readReserved, (Object) key.bytes()).stream()
                .findFirst();
    }

    @Override
    public int addEmpty(Connection connection, Collection<Key> keys) throws SQLException {
        return Statements.update(connection, named(addEmpty), names(connection, keys.stream()));
    }

    private static Array names(Connection connection, Stream<Key> keys) throws SQLException {
        return connection.createArrayOf("bytea", keys.map(Key::bytes).toArray(byte[][]::new));
    }

    private static Array array(
            Connection connection, String type, List<Written> rows, Function<Written, @Nullable Object> column)
            throws SQLException {
        return connection.createArrayOf(type, rows.stream().map(column).toArray());
    }

    @Override
    public String product() {
        return PRODUCT;
    }

    /** Its locks rest on the clock, the row locks and the messages of one server, which other products replace. */
    @Override
    public Optional<String> concern(Connection connection) throws SQLException {
        return Statements.query(connection, VERSION, line -> line.getString(1)).stream()
                .filter(version ->
                        !version.startsWith(PRODUCT) || OTHERS.matcher(version).find())
                .findFirst()
                .map(version -> "it only resembles PostgreSQL (" + version + "), and Holdfast was not tested with it");
    }

    @Override
    Catalog catalog() {
        return Catalog.POSTGRESQL;
    }

    @Override
    String keyType() {
        return "bytea";
    }

    /** The driver reports bytea as BINARY, though it pads nothing. */
    @Override
    int keyColumn() {
        return Types.BINARY;
    }

    @Override
    String lockOfWrite() {
        return "FOR NO KEY UPDATE";
    }

    @Override
    String clock() {
        return "(EXTRACT(EPOCH FROM pg_catalog.clock_timestamp()) * 1000000)::bigint";
    }

    @Override
    String run() {
        return "(EXTRACT(EPOCH FROM pg_catalog.pg_postmaster_start_time()) * 1000000)::bigint";
    }

    @Override
    List<String> tablesToCreate() {
        return List.of(
                sql("CREATE TABLE IF NOT EXISTS {locks} (name bytea PRIMARY KEY, tenure varchar(96),"
                        + " expires_at bigint NOT NULL, last_unit bigint NOT NULL, floor_unit bigint NOT NULL,"
                        + " version bigint NOT NULL, used_at bigint NOT NULL, waiters int NOT NULL DEFAULT 0,"
                        + " state text) WITH (fillfactor = 50)"),
                sql("CREATE TABLE IF NOT EXISTS {clients} (id varchar(64) PRIMARY KEY, identity varchar(1024) NOT NULL,"
                        + " seen_at bigint NOT NULL)"));
    }

    @Override
    public List<String> settings(long commandMillis) {
        return List.of(
                "SET lock_timeout = " + rowWaitMillis(commandMillis),
                "SET statement_timeout = " + commandMillis,
                "SET synchronous_commit = on",
                "SET default_transaction_isolation = 'read committed'");
    }

    /** Behind a connection pooler, the settings are those of each transaction. */
    @Override
    public Connection configured(Connection connection, long commandMillis) throws SQLException {
        return isPooled(connection)
                ? PooledConnection.of(
                        connection,
                        "SET TRANSACTION ISOLATION LEVEL READ COMMITTED; SET LOCAL lock_timeout = "
                                + rowWaitMillis(commandMillis) + "; SET LOCAL statement_timeout = " + commandMillis
                                + "; SET LOCAL idle_in_transaction_session_timeout = " + commandMillis
                                + "; SET LOCAL synchronous_commit = on")
                : super.configured(connection, commandMillis);
    }

    /** A connection that does not unwrap to one of this driver cannot be asked, and counts as one to the server itself. */
    private static boolean isPooled(Connection connection) throws SQLException {
        try {
            return connection.isWrapperFor(PGConnection.class) && hasAnotherProcessId(connection);
        } catch (NoClassDefFoundError e) {
            // the driver is visible to the DataSource alone
            return false;
        }
    }

    /** A pooler gives its clients process ids of its own, so that it can tell their cancel requests apart. */
    private static boolean hasAnotherProcessId(Connection connection) throws SQLException {
        // not prepared, because the driver may keep a prepared statement at the server
        try (Statement statement = connection.createStatement();
                ResultSet result = statement.executeQuery("SELECT pg_catalog.pg_backend_pid()")) {
            return result.next()
                    && result.getInt(1) != connection.unwrap(PGConnection.class).getBackendPID();
        }
    }

    @Override
    public List<String> restoring(Connection connection) throws SQLException {
        if (isPooled(connection)) {
            return List.of();
        }
        return Statements.query(
                connection,
                "SELECT name, setting FROM pg_catalog.pg_settings WHERE name IN ('lock_timeout', 'statement_timeout',"
                        + " 'synchronous_commit', 'default_transaction_isolation')",
                line -> "SET " + line.getString(1) + " = '" + line.getString(2) + "'");
    }

    @Override
    public FailureCodes codes() {
        return codes;
    }

    // ---- guarded statements

    @Override
    public Optional<GuardedStatements> guarded() {
        return Optional.of(this);
    }

    @Override
    public Optional<Grant> acquire(Connection connection, Key key, String tenure, long leaseMicros, long notAfter)
            throws SQLException {
        return Statements.query(
                        connection,
                        named(acquire),
                        line -> new Grant(line.getLong(1), line.getLong(2)),
                        tenure,
                        leaseMicros,
                        tenure,
                        key.bytes(),
                        tenure,
                        notAfter)
                .stream()
                .findFirst();
    }

    @Override
    public OptionalLong release(Connection connection, Key key, String tenure, long lastUnit) throws SQLException {
        return Statements.query(
                        connection, named(release), line -> line.getLong(1), lastUnit, lastUnit, key.bytes(), tenure)
                .stream()
                .mapToLong(Long::longValue)
                .findFirst();
    }

    @Override
    public Map<Lease, Renewed> renew(Connection connection, List<Lease> leases, boolean hurried) throws SQLException {
        RenewedLeases renewed = new RenewedLeases(leases);
        Array names = names(connection, leases.stream().map(Lease::key));
        Array tenures = connection.createArrayOf(
                "text", leases.stream().map(Lease::tenure).toArray());
        Array lengths = connection.createArrayOf(
                "bigint", leases.stream().map(Lease::micros).toArray());
        var unused = hurried
                ? Statements.query(connection, named(renewFree), renewed::read, names, tenures, lengths, names)
                : Statements.query(connection, named(renew), renewed::read, names, tenures, lengths);
        return renewed.all();
    }

    // ---- messages

    @Override
    public Optional<Messages> messages() {
        return Optional.of(this);
    }

    private static String channel(String clientId) {
        return "hf_" + clientId;
    }

    @Override
    public long listen(Connection connection, String clientId) throws SQLException {
        if (isPooled(connection)) {
            throw new SQLFeatureNotSupportedException(
                    "a connection pooler is between, which may deliver no notification");
        }
        long run = Statements.query(connection, "SELECT " + run(), line -> line.getLong(1))
                .get(0);
        var unused = Statements.update(connection, "LISTEN \"" + channel(clientId) + "\"");
        return run;
    }

    @Override
    public void unlisten(Connection connection, String clientId) throws SQLException {
        var unused = Statements.update(connection, "UNLISTEN \"" + channel(clientId) + "\"");
    }

    @Override
    public List<String> receive(Connection connection, int millis) throws SQLException {
        PGNotification[] all = connection.unwrap(PGConnection.class).getNotifications(millis);
        return all == null
                ? List.of()
                : Stream.of(all)
                        .map(PGNotification::getParameter)
                        .map(Message::decoded)
                        .toList();
    }

    @Override
    public void send(Connection connection, Message message) throws SQLException {
        var unused = Statements.query(
                connection,
                "SELECT pg_catalog.pg_notify(?, ?)",
                line -> true,
                channel(message.clientId()),
                message.encoded());
    }

    /** The messages are sent by the statement that writes, so they need no further round trip. */
    @Override
    boolean update(Connection connection, String sql, @Nullable Object[] arguments, List<Message> messages)
            throws SQLException {
        String written = "WITH w AS (" + sql + " RETURNING 1)";
        if (messages.isEmpty()) {
            return isOne(connection, written + " SELECT (SELECT count(*) FROM w), " + END_SOON, arguments);
        }
        @Nullable Object[] all = Arrays.copyOf(arguments, arguments.length + 2);
        all[arguments.length] = connection.createArrayOf(
                "text",
                messages.stream().map(message -> channel(message.clientId())).toArray());
        all[arguments.length + 1] = connection.createArrayOf(
                "text", messages.stream().map(Message::encoded).toArray());
        return isOne(
                connection,
                written + ", s AS (SELECT pg_catalog.pg_notify(m.channel, m.text)"
                        + " FROM w, unnest(?::text[], ?::text[]) AS m(channel, text))"
                        + " SELECT (SELECT count(*) FROM w), (SELECT count(*) FROM s), " + END_SOON,
                all);
    }

    private static boolean isOne(Connection connection, String query, @Nullable Object[] arguments)
            throws SQLException {
        return Statements.query(connection, query, line -> line.getLong(1), arguments)
                        .get(0)
                == 1;
    }
}
