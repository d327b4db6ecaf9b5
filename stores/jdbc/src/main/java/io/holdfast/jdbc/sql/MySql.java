package io.holdfast.jdbc.sql;

import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.toMap;
import static java.util.stream.Collectors.toSet;

import io.holdfast.jdbc.sql.FailureCodes.Health;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * MySQL and MariaDB.
 *
 * <p>The clock is {@code SYSDATE(6)}, because {@code NOW(6)} stands still within a statement. It shows the time zone of the
 * session, so each session is set to UTC.
 *
 * <p>An UPDATE returns no columns. It returns one number, which {@code LAST_INSERT_ID(number)} sets, in the same round trip. The
 * columns of an UPDATE are set from left to right, and a later expression sees the new values.
 *
 * <p>The errors are told apart by their number, because the drivers give different SQL states to one error.
 */
public final class MySql extends Dialect implements GuardedStatements {

    /** The server waits for a locked row in whole seconds, and for up to two if one is set. */
    private static final long LONGEST_ROW_WAIT_MILLIS = 2_000;

    /** Its answer after such a wait has to arrive. */
    public static final long MIN_NETWORK_MILLIS = LONGEST_ROW_WAIT_MILLIS + 1_500;

    /** A session that limits the rows of a query would hide rows from us. */
    private static final String NO_LIMIT = "18446744073709551615";

    private static final Pattern NUMBER = Pattern.compile("\\d+");

    /** The rows that one statement writes, because it compares each of them with each. */
    private static final int ROWS_WRITTEN = 64;

    private static final String UNSAFE_CLOCK = "HYHF1";
    private static final String UNSAFE_LOG = "HYHF2";
    private static final String MANY_WRITERS = "HYHF4";
    private static final String NO_TLS = "HYHF5";

    /** The driver of MariaDB gives this failure the code of a broken network. */
    private static final String NO_TLS_TEXT = "ssl not enabled in the server";

    /** The variables of a cluster that accepts writes at several nodes. A server knows only those of what is installed. */
    public static final String CLUSTER = "SHOW GLOBAL VARIABLES WHERE Variable_name IN ('wsrep_on',"
            + " 'group_replication_group_name', 'group_replication_single_primary_mode')";

    /** The number of nodes of a Galera cluster. */
    public static final String GALERA_SIZE = "SHOW GLOBAL STATUS LIKE 'wsrep_cluster_size'";

    private final String product;
    private final boolean oneWriter;
    private final FailureCodes codes;
    /** The rows that no other transaction locks. With a limit, the server reads them first; without one, it waits for all. */
    private static final String FREE = "(SELECT name AS free FROM {locks} WHERE name IN ({names}) LIMIT 100000"
            + " FOR UPDATE SKIP LOCKED) f STRAIGHT_JOIN {locks} ON name = free";

    private final String acquire;
    private final String release;
    private final String renew;
    private final String held;
    private final String renewFree;
    private final String reserve;
    private final String readReserved;
    private final String writeAll;

    /**
     * Creates the SQL for the given tables.
     *
     * @param product the name of the product, for texts
     * @param oneWriter whether all clients write at one node, although others accept writes
     */
    public MySql(String product, Tables tables, boolean oneWriter) {
        super(tables);
        this.product = product;
        this.oneWriter = oneWriter;
        codes = FailureCodes.byNumber()
                // MariaDB detects a change since the snapshot by 1020; Group Replication reports by 3101 that another
                // transaction is not applied here yet
                .with(Verdict.AGAIN, "1213", "1062", "1020", "3101")
                .meaning(Verdict.LOCKED, ROW_IS_LOCKED, "1205", "3572")
                .meaning(Verdict.NOT_APPLIED, "the statement was canceled, or took too long", "1317", "1969", "3024")
                .meaning(Verdict.NOT_APPLIED, READ_ONLY, "1290", "1836", "1792", "S1009")
                .meaning(Verdict.NOT_APPLIED, DISK_IS_FULL, "1114", "1021")
                .meaning(Verdict.NOT_APPLIED, "it has no connection left; see max_connections", "1040", "1203")
                .meaning(Verdict.UNKNOWN, "it has ended the connection", "1053", "1927", "4031")
                .with(Verdict.UNKNOWN, "08")
                .meaning(Verdict.REFUSED, LOGIN, "1045", "1698")
                .meaning(Verdict.REFUSED, rights(), "1044", "1142", "1143", "1227")
                .meaning(Verdict.REFUSED, "the database in the URL does not exist", "1049")
                .with(Verdict.REFUSED, BAD_VALUE)
                .meaning(Verdict.REFUSED, TOO_LONG, "1406")
                .meaning(
                        Verdict.REFUSED,
                        "its clock stands still within a statement; start it without sysdate-is-now",
                        UNSAFE_CLOCK)
                .meaning(
                        Verdict.REFUSED,
                        "binlog_format=STATEMENT cannot replicate the clock of a lock; set it to ROW or MIXED",
                        UNSAFE_LOG,
                        "1665")
                .meaning(
                        Verdict.REFUSED,
                        "each of its nodes accepts writes, by a clock of its own, so a lock could have two holders; let all"
                                + " clients write at one node, by one address that leads to it, and say so by"
                                + " oneWriter=true",
                        MANY_WRITERS)
                .meaning(
                        Verdict.REFUSED,
                        "it offers no TLS, which its driver requires unless the URL says sslMode=disable; add that, or"
                                + " enable TLS at the server",
                        NO_TLS)
                .meaning(
                        Verdict.NOT_APPLIED,
                        "the driver has connected again by itself, and the session has lost its time zone; another"
                                + " connection is opened",
                        NO_CLOCK)
                .meaning(Verdict.NO_TABLE, tableIsMissing(), "1146", "1051")
                .meaning(Verdict.OTHER_TABLE, otherTable(), "1054", "1364")
                .health(Health.BAD, "08", "1053", "1927", "4031", "S1009", NO_CLOCK)
                .health(Health.READ_ONLY, "1290", "1836", "1792");
        acquire = sql(
                "UPDATE {locks} SET floor_unit = CASE WHEN tenure = ? AND expires_at > {clock} THEN floor_unit ELSE last_unit END,"
                        + " expires_at = GREATEST(expires_at, {clock} + ?),"
                        + " last_unit = LAST_INSERT_ID(GREATEST(last_unit + 1, {clock})), tenure = ?, version = version + 1,"
                        + " used_at = {clock}"
                        + " WHERE name = ? AND state IS NULL AND (tenure = ? OR expires_at <= {clock}) AND {clock} <= ?"
                        + " AND last_unit <= {clock} + 10000");
        // assignments are made from left to right, so the floor becomes the new last unit
        release = sql("UPDATE {locks} SET expires_at = 0, tenure = NULL, version = version + 1,"
                + " last_unit = LEAST(last_unit, GREATEST(?, floor_unit)) + 1, floor_unit = last_unit,"
                + " used_at = LAST_INSERT_ID({clock})"
                + " WHERE name = ? AND tenure = ? AND state IS NULL AND expires_at > {clock}");
        // the row with most waiters is the last one, so the number of that row says whether any has waiters; NOW is the
        // start of the statement, before each row was written
        renew = sql("UPDATE {locks} SET expires_at = GREATEST(expires_at, {clock} + ?), version = version + 1,"
                        + " used_at = {clock} + 0 * LAST_INSERT_ID({start} * 2 + (waiters > 0))"
                        + " WHERE name IN ({names}) AND (name, tenure) IN ({pairs}) AND expires_at > {clock} ORDER BY waiters")
                .replace("{start}", clock().replace("SYSDATE", "NOW"));
        renewFree = sql("UPDATE " + FREE + " SET expires_at = GREATEST(expires_at, {clock} + ?), version = version + 1,"
                        + " used_at = {clock} + 0 * LAST_INSERT_ID({start} * 2)"
                        + " WHERE (name, tenure) IN ({pairs}) AND expires_at > {clock}")
                .replace("{start}", clock().replace("SYSDATE", "NOW"));
        held = sql("SELECT name, tenure, waiters, {clock} FROM {locks} WHERE name IN ({names}) AND expires_at > {clock}"
                + " AND used_at >= ? AND expires_at >= ?");
        reserve = sql(
                "UPDATE {locks} SET used_at = {reservation}, version = version + 1 WHERE name = ? AND {unreserved}");
        readReserved = sql("SELECT " + Row.COLUMNS + ", l.used_at FROM {locks} l WHERE l.name = ?");
        writeAll = sql("UPDATE " + FREE + " SET tenure = {cases}, expires_at = {cases}, last_unit = {cases},"
                + " floor_unit = {cases}, waiters = {cases}, state = {cases}, version = version + 1, used_at = {clock}"
                + " WHERE (name, version) IN ({pairs})");
    }

    @Override
    public boolean skipsLocked() {
        return true;
    }

    @Override
    public Set<Key> writeAll(Connection connection, List<Written> rows) throws SQLException {
        Set<Key> written = new HashSet<>();
        for (int from = 0; from < rows.size(); from += ROWS_WRITTEN) {
            written.addAll(writeSome(connection, rows.subList(from, Math.min(rows.size(), from + ROWS_WRITTEN))));
        }
        return written;
    }

    @Override
    public Optional<Row> reserve(Connection connection, Key key) throws SQLException {
        return Statements.update(connection, named(reserve), (Object) key.bytes()) == 0
                ? Optional.empty()
                : Statements.query(connection, named(readReserved), Row::readReserved, (Object) key.bytes()).stream()
                        .findFirst();
    }

    /** A clock that is null fails the statement. With IGNORE, it would be written as 0. */
    @Override
    public int addEmpty(Connection connection, Collection<Key> keys) throws SQLException {
        String row = sql("(?, 0, 0, 0, {clock}, {clock})");
        return Statements.update(
                connection,
                named("INSERT INTO {locks} (name, expires_at, last_unit, floor_unit, version, used_at) VALUES "
                        + repeated(row, keys.size()) + " ON DUPLICATE KEY UPDATE version = version"),
                keys.stream().map(Key::bytes).toArray());
    }

    /** An UPDATE returns only how many rows it has written. If another writer was faster for one, the rows show for which. */
    private Set<Key> writeSome(Connection connection, List<Written> rows) throws SQLException {
        Set<Key> keys = rows.stream().map(Written::key).collect(toSet());
        if (updateTogether(connection, padded(rows)) == rows.size()) {
            return keys;
        }
        Map<Key, Row> found = readAll(connection, keys);
        return rows.stream()
                .filter(row -> row.isWrittenIn(found.get(row.key())))
                .map(Written::key)
                .collect(toSet());
    }

    /** MySQL 8.0 waits for the row of a single name although it is to skip locked ones. */
    private static <T> List<T> twoOrMore(List<T> names) {
        return names.size() == 1 ? List.of(names.get(0), names.get(0)) : names;
    }

    private int updateTogether(Connection connection, List<Written> rows) throws SQLException {
        List<byte[]> names =
                twoOrMore(rows.stream().map(row -> row.key().bytes()).toList());
        String sql = named(writeAll)
                .replace("{cases}", "CASE name " + "WHEN ? THEN ? ".repeat(rows.size()) + "END")
                .replace("{names}", repeated("?", names.size()))
                .replace("{pairs}", repeated("(?, ?)", rows.size()));
        Stream<@Nullable Object> columns = WRITTEN_COLUMNS.stream()
                .flatMap(column ->
                        rows.stream().flatMap(row -> Stream.of(row.key().bytes(), column.apply(row.after()))));
        Stream<@Nullable Object> versions =
                rows.stream().flatMap(row -> Stream.of(row.key().bytes(), row.version()));
        return Statements.update(
                connection,
                sql,
                Stream.of(names.stream(), columns, versions)
                        .flatMap(each -> each)
                        .toArray());
    }

    @Override
    public String product() {
        return product;
    }

    @Override
    Catalog catalog() {
        return Catalog.MYSQL;
    }

    @Override
    String keyType() {
        return "VARBINARY(1537)";
    }

    @Override
    String parameter(String type) {
        return "?";
    }

    @Override
    String page() {
        return "LIMIT ?";
    }

    @Override
    String clock() {
        // null after a driver has connected again by itself, and has forgotten the time zone, so that no guard holds
        return "TIMESTAMPDIFF(MICROSECOND, '1970-01-01', IF(@@time_zone = '+00:00', SYSDATE(6), NULL))";
    }

    @Override
    List<String> tablesToCreate() {
        String text = " CHARACTER SET ascii COLLATE ascii_bin";
        return List.of(
                sql("CREATE TABLE IF NOT EXISTS {locks} (name varbinary(1537) PRIMARY KEY, tenure varchar(96)" + text
                        + ", expires_at bigint NOT NULL, last_unit bigint NOT NULL, floor_unit bigint NOT NULL,"
                        + " version bigint NOT NULL, used_at bigint NOT NULL, waiters int NOT NULL DEFAULT 0,"
                        + " state mediumtext" + text + ") ENGINE=InnoDB ROW_FORMAT=DYNAMIC"),
                sql("CREATE TABLE IF NOT EXISTS {clients} (id varchar(64)" + text + " PRIMARY KEY,"
                        + " identity varchar(1024) CHARACTER SET utf8mb4 NOT NULL, seen_at bigint NOT NULL)"
                        + " ENGINE=InnoDB ROW_FORMAT=DYNAMIC"));
    }

    @Override
    public List<String> settings(long commandMillis) {
        return List.of(
                "SET time_zone = '+00:00', sql_mode = 'STRICT_ALL_TABLES', innodb_lock_wait_timeout = 1, lock_wait_timeout = 1,"
                        + " sql_select_limit = " + NO_LIMIT,
                "SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED");
    }

    @Override
    public List<String> restoring(Connection connection) throws SQLException {
        String limit = Statements.query(connection, "SELECT @@sql_select_limit", line -> line.getString(1))
                .get(0);
        // it would hide the other variables, too
        var unused = Statements.update(connection, "SET sql_select_limit = " + NO_LIMIT);
        List<String> statements = new ArrayList<>(Statements.query(
                connection,
                "SHOW SESSION VARIABLES WHERE Variable_name IN ('time_zone', 'sql_mode', 'innodb_lock_wait_timeout',"
                        + " 'lock_wait_timeout', 'transaction_isolation', 'tx_isolation')",
                line -> "SET SESSION " + line.getString(1) + " = " + literal(line.getString(2))));
        statements.add("SET SESSION sql_select_limit = " + limit);
        return statements;
    }

    private static String literal(String value) {
        return NUMBER.matcher(value).matches() ? value : "'" + value + "'";
    }

    @Override
    public long networkMillis(long commandMillis) {
        return Math.max(commandMillis, MIN_NETWORK_MILLIS);
    }

    @Override
    public long longestRowWaitMillis(long commandMillis) {
        return LONGEST_ROW_WAIT_MILLIS;
    }

    @Override
    public void requireSafe(Connection connection) throws SQLException {
        boolean moves = Statements.query(
                        connection,
                        "SELECT SYSDATE(6), SLEEP(0.001), SYSDATE(6)",
                        line -> !line.getString(1).equals(line.getString(3)))
                .get(0);
        if (!moves) {
            throw new SQLException("SYSDATE stands still", UNSAFE_CLOCK);
        }
        boolean byStatement = Statements.query(
                        connection,
                        "SELECT @@log_bin, @@binlog_format",
                        line -> line.getBoolean(1) && "STATEMENT".equals(line.getString(2)))
                .get(0);
        if (byStatement) {
            throw new SQLException("binlog_format is STATEMENT", UNSAFE_LOG);
        }
    }

    @Override
    public void requireOneWriter(Connection connection) throws SQLException {
        if (oneWriter) {
            return;
        }
        Map<String, String> cluster = Statements.query(connection, CLUSTER, MySql::variable).stream()
                .collect(toMap(Map.Entry::getKey, Map.Entry::getValue));
        if (isOn(cluster.get("wsrep_on"))) {
            // whatever its size is now, because nodes may join later
            throw new SQLException(
                    "a Galera cluster of now " + Statements.query(connection, GALERA_SIZE, line -> line.getString(2))
                            + " nodes",
                    MANY_WRITERS);
        }
        boolean grouped =
                !cluster.getOrDefault("group_replication_group_name", "").isEmpty();
        if (grouped && !isOn(cluster.get("group_replication_single_primary_mode"))) {
            throw new SQLException("Group Replication without a single primary", MANY_WRITERS);
        }
    }

    /** Its commits are written once in a second, so a server that is killed has forgotten the last ones. */
    @Override
    public Optional<String> concern(Connection connection) throws SQLException {
        return Statements.query(connection, "SELECT @@innodb_flush_log_at_trx_commit", line -> line.getInt(1)).stream()
                .filter(flushes -> flushes == 0)
                .findFirst()
                .map(flushes ->
                        "innodb_flush_log_at_trx_commit is 0, so a server that crashes forgets locks that it has"
                                + " granted, and grants them to others; set it to 1");
    }

    private static Map.Entry<String, String> variable(ResultSet line) throws SQLException {
        return Map.entry(line.getString(1), String.valueOf(line.getString(2)));
    }

    private static boolean isOn(@Nullable String value) {
        return "ON".equalsIgnoreCase(value);
    }

    @Override
    public SQLException explained(SQLException failure) {
        return String.valueOf(failure.getMessage()).contains(NO_TLS_TEXT)
                ? new SQLException(failure.getMessage(), NO_TLS, failure)
                : failure;
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

    /** The unit is the clock, or at most 10 ms above it, so it is also an upper bound of the time. */
    @Override
    public Optional<Grant> acquire(Connection connection, Key key, String tenure, long leaseMicros, long notAfter)
            throws SQLException {
        Statements.Change change = Statements.change(
                connection, named(acquire), tenure, leaseMicros, tenure, key.bytes(), tenure, notAfter);
        // a trigger may have replaced the number. Then the record shows the grant
        return change.number() == 0 ? Optional.empty() : Optional.of(new Grant(change.number(), change.number()));
    }

    @Override
    public OptionalLong release(Connection connection, Key key, String tenure, long lastUnit) throws SQLException {
        Statements.Change change = Statements.change(connection, named(release), lastUnit, key.bytes(), tenure);
        if (change.rows() == 0) {
            return OptionalLong.empty();
        }
        // a trigger may have replaced the number
        return OptionalLong.of(
                change.number() > 0 ? change.number() : read(connection, key).now());
    }

    @Override
    public Map<Lease, Renewed> renew(Connection connection, List<Lease> leases, boolean hurried) throws SQLException {
        Map<Lease, Renewed> renewed = new HashMap<>();
        for (Map.Entry<Long, List<Lease>> each :
                leases.stream().collect(groupingBy(Lease::micros)).entrySet()) {
            renewed.putAll(renew(connection, each.getKey(), each.getValue(), hurried));
        }
        return renewed;
    }

    /**
     * Renews leases of one length. A second statement follows if a lock was lost, or if somebody waits for one; in a hurry always,
     * because that statement does not say for which row somebody waits.
     */
    private Map<Lease, Renewed> renew(Connection connection, long micros, List<Lease> leases, boolean hurried)
            throws SQLException {
        List<Lease> all = padded(leases);
        List<byte[]> keys = all.stream().map(lease -> lease.key().bytes()).toList();
        List<byte[]> names = hurried ? twoOrMore(keys) : keys;
        List<Object> pairs = all.stream()
                .<Object>flatMap(lease -> Stream.of(lease.key().bytes(), lease.tenure()))
                .toList();
        Statements.Change change = Statements.change(
                connection,
                named(hurried ? renewFree : renew)
                        .replace("{names}", repeated("?", names.size()))
                        .replace("{pairs}", repeated("(?, ?)", all.size())),
                Stream.of(hurried ? names : List.of(micros), hurried ? List.of(micros) : names, pairs)
                        .flatMap(List::stream)
                        .toArray());
        if (change.rows() == 0 || change.number() <= 0) {
            // without a clock, no lease was renewed, and this read fails
            var unused = read(connection, leases.get(0).key());
            return Map.of();
        }
        long start = change.number() / 2;
        if (!hurried && change.rows() == leases.size() && change.number() % 2 == 0) {
            Renewed alone = new Renewed(0, start);
            return leases.stream().collect(toMap(lease -> lease, lease -> alone));
        }
        return held(connection, leases, start, micros);
    }

    /**
     * Returns the leases that hold, and whose rows were written since the given time with a lease of that length. Others were not
     * renewed: a server that has just taken over may apply an earlier transaction between the two statements.
     */
    private Map<Lease, Renewed> held(Connection connection, List<Lease> leases, long since, long micros)
            throws SQLException {
        RenewedLeases renewed = new RenewedLeases(leases);
        List<byte[]> names =
                padded(leases.stream().map(lease -> lease.key().bytes()).toList());
        var unused = Statements.query(
                connection,
                named(held).replace("{names}", repeated("?", names.size())),
                renewed::read,
                Stream.concat(names.stream(), Stream.of(since, since + micros)).toArray());
        return renewed.all();
    }
}
