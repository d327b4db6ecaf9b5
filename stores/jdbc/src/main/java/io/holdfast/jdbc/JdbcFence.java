package io.holdfast.jdbc;

import io.holdfast.FencedOutException;
import io.holdfast.jdbc.sql.FenceSql;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Objects;
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

    private final DataSource database;
    private final FenceSql sql;
    private final String table;

    private JdbcFence(DataSource database, FenceSql sql, String table) {
        this.database = database;
        this.sql = sql;
        this.table = table;
    }

    /**
     * Returns a fence in the table {@code holdfast_fence}, which is created if it does not exist. Uses one connection. That
     * connection defines the schema of the table, for all connections.
     *
     * @throws IllegalArgumentException if the database is not PostgreSQL, MySQL, MariaDB or H2
     * @throws SQLException if the table cannot be created, or has other columns, or if another schema of PostgreSQL or H2 has a
     *     table of that name: a former holder that uses that one would not be refused
     */
    public static JdbcFence of(DataSource database) throws SQLException {
        return of(database, DEFAULT_TABLE);
    }

    /**
     * Returns a fence in the given table, which is created if it does not exist. Uses one connection. If the name has no schema,
     * that connection defines it, for all connections.
     *
     * @param table the name of the table, behind its schema and a period if needed; letters, digits and {@code _}
     * @throws IllegalArgumentException if the database is not PostgreSQL, MySQL, MariaDB or H2, or if the name of the table has
     *     other characters
     * @throws SQLException if the table cannot be created, or has other columns, or if the name has no schema and another schema
     *     of PostgreSQL or H2 has a table of that name
     */
    public static JdbcFence of(DataSource database, String table) throws SQLException {
        if (!TABLE.matcher(table).matches()) {
            throw new IllegalArgumentException("'" + table
                    + "' is not the name of a table: letters, digits and '_', behind a schema and '.' if needed");
        }
        try (Connection connection = database.getConnection()) {
            String product = connection.getMetaData().getDatabaseProductName();
            FenceSql sql = FenceSql.of(product)
                    .orElseThrow(() -> new IllegalArgumentException(
                            "a fence supports PostgreSQL, MySQL, MariaDB and H2, not '" + product + "'"));
            connection.setAutoCommit(true);
            String located = sql.located(connection, table);
            sql.requireOne(connection, table, located);
            prepare(connection, sql, located);
            // race: another fence may have made a table in another schema at the same time
            sql.requireOne(connection, table, located);
            return new JdbcFence(database, sql, located);
        }
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
     * Refuses an old token, and remembers a new one, in the caller's transaction. It is one statement. Until the transaction
     * ends, another guard of that name waits. If the transaction is rolled back, the token is not remembered.
     *
     * <p>In the isolation levels REPEATABLE READ and SERIALIZABLE, PostgreSQL fails with SQL state 40001 if another transaction
     * has guarded the name since this transaction began: repeat the transaction.
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
            throw new IllegalArgumentException("'" + name + "': the token must be above zero, and is " + token);
        }
        if (!sql.raise(transaction, table, name, token)) {
            throw new FencedOutException(
                    name, token, sql.highest(transaction, table, name).orElse(token + 1));
        }
    }

    /**
     * Locks a name until the caller's transaction ends. No other transaction has locked it then. It is a lock of the database:
     * it has no lease, no token and no order, and ends with the connection. It needs no lock of Holdfast, and is enough if the
     * lock protects nothing but data of this database.
     *
     * <p>PostgreSQL uses an advisory lock. Elsewhere a row of the fence's table is locked, which is made beforehand in a
     * transaction of its own, on a connection of the fence's data source.
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
            throw new IllegalArgumentException("'" + name + "': the wait must be above zero, and is " + wait);
        }
        // the second connection is needed once for each name
        if (sql.locksRows() && !sql.hasRow(transaction, table, name)) {
            makeRow(name);
        }
        long seconds = TimeUnit.SECONDS.convert(wait.plusNanos(999_999_999));
        sql.lock(transaction, table, name, (int) Math.min(Integer.MAX_VALUE / 1_000, seconds));
    }

    private void makeRow(String name) throws SQLException {
        try (Connection own = database.getConnection()) {
            own.setAutoCommit(true);
            sql.makeRow(own, table, name);
        }
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
