package io.holdfast.jdbc;

import static io.holdfast.spi.Names.quoted;

import io.holdfast.FencedOutException;
import io.holdfast.jdbc.sql.FenceSql;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import javax.sql.DataSource;

/**
 * A guard for data in a database. It refuses the token of a former holder, in the transaction that writes the data. So it
 * protects the data from a holder that was paused for longer than its lease and then continues.
 *
 * <pre>{@code
 * JdbcFence fence = JdbcFence.of(dataSource);              // once
 * try (Lease lease = lock.acquire()) {
 *     connection.setAutoCommit(false);
 *     fence.guard(connection, "orders/42", lease.fencingToken()); // throws if a newer holder was here
 *     ship(connection, 42);
 *     connection.commit();
 * }
 * }</pre>
 *
 * <p>The fence has a table of its own, {@code holdfast_fence} if no other name is given, with the highest token of each name. It
 * works in PostgreSQL, MySQL, MariaDB and H2, in any isolation level. The lock may be in any store. Guard each name with the
 * tokens of only one lock, because tokens of different locks cannot be compared. A program that writes without the fence is
 * never refused.
 *
 * <p>A fence is safe for use by multiple threads.
 *
 * <p>See Martin Kleppmann, <a href="https://martin.kleppmann.com/2016/02/08/how-to-do-distributed-locking.html">How to do
 * distributed locking</a>, on fencing tokens.
 */
public final class JdbcFence {

    private static final String DEFAULT_TABLE = "holdfast_fence";
    private static final Pattern TABLE =
            Pattern.compile("([A-Za-z_][A-Za-z0-9_]{0,59}\\.)?[A-Za-z_][A-Za-z0-9_]{0,59}");
    private static final int MOST_BYTES = 512;
    private static final int PREPARE_SECONDS = 60;
    private static final int MOST_ROWS = 1_000;

    private final DataSource database;
    private final FenceSql sql;
    private final String table;

    /** Names of locks whose rows exist, for all that is known. */
    private final Set<String> rows = ConcurrentHashMap.newKeySet();

    private JdbcFence(DataSource database, FenceSql sql, String table) {
        this.database = database;
        this.sql = sql;
        this.table = table;
    }

    /**
     * Returns a fence in the table {@code holdfast_fence}, which is created if it does not exist. Uses one connection, on
     * a thread of its own, so it is no part of a transaction of the caller. That connection defines the schema of the table, for
     * all connections.
     *
     * @throws IllegalArgumentException if the database is not PostgreSQL, MySQL, MariaDB or H2
     * @throws SQLException if the table cannot be created, or does not keep tokens as a fence needs it, or if another schema of
     *     PostgreSQL or H2 has a table of that name: a former holder that uses that one would not be refused; or if there is no
     *     answer within a minute
     */
    public static JdbcFence of(DataSource database) throws SQLException {
        return of(database, DEFAULT_TABLE);
    }

    /**
     * Returns a fence in the given table, which is created if it does not exist. Uses one connection, on a thread of its own, so
     * it is no part of a transaction of the caller. If the name has no schema, that connection defines it, for all connections.
     *
     * @param table the name of the table, behind its schema and a period if needed; letters, digits and {@code _}
     * @throws IllegalArgumentException if the database is not PostgreSQL, MySQL, MariaDB or H2, or if the name of the table has
     *     other characters
     * @throws SQLException if the table cannot be created, or does not keep tokens as a fence needs it, or if the name has no
     *     schema and another schema of PostgreSQL or H2 has a table of that name; or if there is no answer within a minute
     */
    public static JdbcFence of(DataSource database, String table) throws SQLException {
        if (!TABLE.matcher(table).matches()) {
            throw new IllegalArgumentException("'" + table
                    + "' is not the name of a table: letters, digits and '_', behind a schema and '.' if needed");
        }
        Found found = OwnThread.run(database, PREPARE_SECONDS, connection -> find(connection, table));
        FenceSql sql = found.sql()
                .orElseThrow(() -> new IllegalArgumentException(
                        "a fence supports PostgreSQL, MySQL, MariaDB and H2, not '" + found.product() + "'"));
        return new JdbcFence(database, sql, found.table());
    }

    /**
     * The SQL and the table of a database, as a connection has found them.
     *
     * @param sql empty if the product is not supported
     * @param table the name of the table with its schema, if the product is supported
     */
    private record Found(String product, Optional<FenceSql> sql, String table) {}

    private static Found find(Connection connection, String table) throws SQLException {
        String product = connection.getMetaData().getDatabaseProductName();
        Optional<FenceSql> sql = FenceSql.of(product);
        return new Found(product, sql, sql.isPresent() ? locate(connection, sql.get(), table) : table);
    }

    private static String locate(Connection connection, FenceSql sql, String table) throws SQLException {
        String located = sql.located(connection, table);
        sql.requireOne(connection, table, located);
        prepare(connection, sql, located);
        // race: another fence may have made a table in another schema at the same time
        sql.requireOne(connection, table, located);
        sql.prove(connection, located);
        return located;
    }

    /** Makes the table if it is missing. A user without the right to do that may use one that exists. */
    private static void prepare(Connection connection, FenceSql sql, String table) throws SQLException {
        try {
            sql.check(connection, table);
        } catch (SQLException missing) {
            try (Statement statement = connection.createStatement()) {
                statement.execute(sql.schema(table));
                sql.check(connection, table);
            } catch (SQLException e) {
                e.addSuppressed(missing);
                throw e;
            }
        }
    }

    /**
     * Refuses an old token, and remembers a new one, in the caller's transaction. It is one statement, and two on MySQL and MariaDB.
     * Until the transaction ends, another guard of that name waits. If the transaction is rolled back, the token is not remembered.
     *
     * <p>In isolation levels above READ COMMITTED, PostgreSQL and H2 fail with SQL state 40001 if another transaction has guarded
     * the name since this transaction began: repeat the transaction. In any level, so do MySQL and MariaDB if two transactions that
     * guard a name for the first time wait for each other (deadlock).
     *
     * @param transaction a connection of the same database, with auto-commit off
     * @param name the name of what is guarded, up to 512 bytes of UTF-8
     * @param token the token of the hold that protects the transaction, above zero
     * @throws FencedOutException if a higher token is known; the transaction must be rolled back
     * @throws IllegalStateException if auto-commit is on, because the guard would be a transaction of its own
     * @throws IllegalArgumentException if the name is empty or too long, or if the token is not above zero
     * @throws SQLException if the database fails
     */
    public void guard(Connection transaction, String name, long token) throws SQLException {
        requireTransaction(transaction);
        requireName(name);
        if (token <= 0) {
            throw new IllegalArgumentException(quoted(name) + ": the token must be above zero, and is " + token);
        }
        long highest = sql.raise(transaction, table, name, token);
        if (highest > token) {
            throw new FencedOutException(name, token, highest);
        }
    }

    /**
     * Locks a name until the caller's transaction ends. No other transaction has locked it then. It is a lock of the database:
     * it has no lease, no token and no order, and ends with the connection. It needs no lock of Holdfast, and is enough if the
     * lock protects nothing but data of this database.
     *
     * <p>PostgreSQL uses an advisory lock, by one statement. Elsewhere one statement locks a row of the fence's table. If the
     * fence does not remember that the row exists, it first asks, and makes the row if it is missing. This needs a second
     * connection of the fence's data source, on a thread of its own, and one or two statements. So a pool needs a connection
     * beyond those of the transactions. The fence remembers up to 1000 names, each until a lock of it fails.
     *
     * <p>Lock before the first statement of the transaction, or in READ COMMITTED: otherwise the transaction may not see what the
     * last holder has committed. In levels above READ COMMITTED, PostgreSQL and H2 show it the data as they were before the
     * wait, in any case.
     *
     * <p>In isolation levels above READ COMMITTED, H2 fails with SQL state 40001 if the row was made after the transaction began.
     * MySQL, MariaDB and H2 do so if the row was deleted. Repeat the transaction.
     *
     * <p>H2 waits for a row until its own {@code LOCK_TIMEOUT} has passed, whatever the wait.
     *
     * @param transaction a connection of the same database, with auto-commit off
     * @param name the name of what is locked, up to 512 bytes of UTF-8
     * @param wait the maximum wait, which is rounded up to seconds; the database may have a shorter limit
     * @throws IllegalStateException if auto-commit is on, because the lock would end at once
     * @throws IllegalArgumentException if the name is empty or too long, or if the wait is not above zero
     * @throws SQLException if the name was not locked in time, or the database fails; the transaction must be rolled back
     */
    public void lockUntilCommit(Connection transaction, String name, Duration wait) throws SQLException {
        requireTransaction(transaction);
        requireName(name);
        if (wait.isNegative() || wait.isZero()) {
            throw new IllegalArgumentException(quoted(name) + ": the wait must be above zero, and is " + wait);
        }
        long start = System.nanoTime();
        if (sql.locksRows() && !rows.contains(name)) {
            makeRow(transaction, name, seconds(wait));
        }
        lock(transaction, name, seconds(wait.minusNanos(System.nanoTime() - start)));
    }

    /**
     * Makes the row of a lock if it does not exist. The transaction of the caller is not asked: it would begin a snapshot without
     * the row, or lock the gap where the row belongs.
     */
    private void makeRow(Connection transaction, String name, int seconds) throws SQLException {
        rows.add(OwnThread.run(database, seconds, own -> {
            requireAnother(transaction);
            sql.makeRow(own, table, name, seconds);
            return name;
        }));
        if (rows.size() > MOST_ROWS) {
            rows.clear();
        }
    }

    /** Fails if the connection with auto-commit that the fence has borrowed is that of the transaction. */
    private static void requireAnother(Connection transaction) throws SQLException {
        if (transaction.getAutoCommit()) {
            throw new SQLException(
                    "the DataSource has returned the connection of the transaction to another thread, so that it"
                            + " was committed; make the fence with a DataSource that opens connections");
        }
    }

    private void lock(Connection transaction, String name, int seconds) throws SQLException {
        try {
            sql.lock(transaction, table, name, seconds);
        } catch (SQLException e) {
            rows.remove(name);
            throw e;
        }
    }

    /** Rounds up, to one second or more. */
    private static int seconds(Duration wait) {
        long seconds = TimeUnit.SECONDS.convert(wait.plusNanos(999_999_999));
        return (int) Math.max(1, Math.min(Integer.MAX_VALUE / 1_000, seconds));
    }

    private static void requireTransaction(Connection connection) throws SQLException {
        if (Objects.requireNonNull(connection, "transaction").getAutoCommit()) {
            throw new IllegalStateException("auto-commit is on, so there is no transaction to guard; turn it off");
        }
    }

    private static void requireName(String name) {
        int bytes = name.getBytes(StandardCharsets.UTF_8).length;
        if (bytes == 0 || bytes > MOST_BYTES) {
            throw new IllegalArgumentException("a name has 1 to " + MOST_BYTES + " bytes of UTF-8, not " + bytes);
        }
    }
}
