package io.holdfast.jdbc.sql;

import static io.holdfast.spi.Names.quoted;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLIntegrityConstraintViolationException;
import java.sql.SQLTransactionRollbackException;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The SQL of a fence, for each kind of database. The statements run in a transaction of the caller. */
public enum FenceSql {
    /** PostgreSQL. */
    POSTGRESQL("bytea", Catalog.POSTGRESQL) {
        @Override
        long raise(Connection transaction, String table, byte[] key, long token) throws SQLException {
            int rows = Statements.update(
                    transaction,
                    "INSERT INTO " + table + " AS f (name, token) VALUES (?, ?) ON CONFLICT (name)"
                            + " DO UPDATE SET token = EXCLUDED.token WHERE f.token <= EXCLUDED.token",
                    key,
                    token);
            return rows == 1 ? token : higher(transaction, table, key, token);
        }

        /** An advisory lock needs no row. */
        @Override
        String lockStatement(String table) {
            return "SELECT pg_catalog.pg_advisory_xact_lock(?)";
        }

        @Override
        Object lockArgument(byte[] key) {
            return ByteBuffer.wrap(sha256(key)).getLong();
        }

        @Override
        public boolean locksRows() {
            return false;
        }
    },

    /**
     * MySQL and MariaDB. The first statement locks the row, and inserts without a lock on the gap between rows. The second one reads
     * the highest token. The number of changed rows and the generated number would say it, too, but a trigger or an option of the
     * driver can change both.
     */
    MYSQL("varbinary(513)", Catalog.MYSQL) {
        @Override
        long raise(Connection transaction, String table, byte[] key, long token) throws SQLException {
            var unused = Statements.update(
                    transaction,
                    "INSERT INTO " + table + " (name, token) VALUES (?, ?) ON DUPLICATE KEY UPDATE"
                            + " token = GREATEST(token, VALUES(token))",
                    key,
                    token);
            // it locks the row, because a plain read of REPEATABLE READ would return an earlier token
            return token(transaction, "SELECT token FROM " + table + " WHERE name = ? FOR UPDATE", key).stream()
                    .filter(each -> each >= token)
                    .findFirst()
                    .orElseThrow(() -> new SQLException(
                            "the table " + table + " does not keep the token that was written; remove its triggers"));
        }
    },

    /** H2. */
    H2("varbinary(513)", Catalog.H2) {
        /** The row of a transaction that has committed meanwhile is a duplicate first, and is seen then in READ COMMITTED. */
        @Override
        long raise(Connection transaction, String table, byte[] key, long token) throws SQLException {
            try {
                return merge(transaction, table, key, token);
            } catch (SQLIntegrityConstraintViolationException duplicate) {
                return mergeAgain(transaction, table, key, token);
            }
        }

        private long mergeAgain(Connection transaction, String table, byte[] key, long token) throws SQLException {
            try {
                return merge(transaction, table, key, token);
            } catch (SQLIntegrityConstraintViolationException unseen) {
                throw repeat("another transaction has made the row in " + table + " since this one began", unseen);
            }
        }

        private long merge(Connection transaction, String table, byte[] key, long token) throws SQLException {
            int rows = Statements.update(
                    transaction,
                    "MERGE INTO " + table
                            + " f USING (SELECT CAST(? AS VARBINARY) AS name, CAST(? AS BIGINT) AS token)"
                            + " n ON f.name = n.name WHEN MATCHED AND f.token <= n.token THEN UPDATE SET"
                            + " token = n.token WHEN NOT MATCHED THEN INSERT (name, token)"
                            + " VALUES (n.name, n.token)",
                    key,
                    token);
            return rows == 1 ? token : higher(transaction, table, key, token);
        }
    };

    private final String keyType;
    private final Catalog catalog;

    FenceSql(String keyType, Catalog catalog) {
        this.keyType = keyType;
        this.catalog = catalog;
    }

    /** Returns the SQL for a product, by the name that its driver gives. */
    public static Optional<FenceSql> of(String product) {
        String name = product.toLowerCase(Locale.ROOT);
        return name.equals("mariadb")
                ? Optional.of(MYSQL)
                : Stream.of(values())
                        .filter(each -> each.name().toLowerCase(Locale.ROOT).equals(name))
                        .findFirst();
    }

    /** Returns the statement that makes the table. */
    public String schema(String table) {
        return "CREATE TABLE IF NOT EXISTS " + table + " (name " + keyType + " PRIMARY KEY, token bigint NOT NULL)"
                + (this == MYSQL ? " ENGINE=InnoDB" : "");
    }

    /**
     * Returns the name of a table with its schema: the one in the name, or the one in which this connection finds the table, or
     * would create it.
     */
    public String located(Connection connection, String table) throws SQLException {
        return table.contains(".") ? table : catalog.quoted(schema(connection, table)) + "." + table;
    }

    private String schema(Connection connection, String table) throws SQLException {
        return catalog.schema(connection, table)
                .orElseThrow(() -> new SQLException(
                        "the session has no schema for the table " + table + "; name one: SCHEMA." + table));
    }

    /** Fails if the name of a table has no schema, and a table of that name is also in another one. */
    public void requireOne(Connection connection, String table, String located) throws SQLException {
        if (!table.equals(located)) {
            String schema = schema(connection, table);
            List<String> others = catalog.others(connection, schema, table);
            if (!others.isEmpty()) {
                throw new SQLException(Catalog.ambiguous(table, schema, others)
                        + "; a fence with one does not refuse the holder that uses another; name the schema: SCHEMA."
                        + table
                        + ", or drop the tables that nobody uses");
            }
        }
    }

    /**
     * Fails if the table does not keep tokens as a fence needs it.
     *
     * @param connection a connection with auto-commit
     */
    public void prove(Connection connection, String table) throws SQLException {
        new FenceTable(table, schema(table)).check(connection);
    }

    /** Fails if the table is missing or has other columns. */
    public void check(Connection connection, String table) throws SQLException {
        var unused = known(connection, table, guardKey(""));
    }

    /**
     * Remembers a token, unless a higher one is known. The row stays locked until the transaction ends.
     *
     * @return the highest token that is known now: this one, or the higher one that refuses it
     */
    public final long raise(Connection transaction, String table, String name, long token) throws SQLException {
        return raise(transaction, table, guardKey(name), token);
    }

    abstract long raise(Connection transaction, String table, byte[] key, long token) throws SQLException;

    /** Returns the token that has refused a lower one. */
    private static long higher(Connection transaction, String table, byte[] key, long refused) throws SQLException {
        return known(transaction, table, key).stream()
                .filter(each -> each > refused)
                .findFirst()
                .orElseThrow(() -> repeat("the row in " + table + " that refused a token was deleted", null));
    }

    private static SQLException repeat(String why, @Nullable SQLException cause) {
        return new SQLTransactionRollbackException(why + "; repeat the transaction", "40001", cause);
    }

    private static OptionalLong known(Connection connection, String table, byte[] key) throws SQLException {
        return token(connection, "SELECT token FROM " + table + " WHERE name = ?", key);
    }

    private static OptionalLong token(Connection connection, String sql, byte[] key) throws SQLException {
        return Statements.query(connection, sql, line -> line.getLong(1), (Object) key).stream()
                .mapToLong(Long::longValue)
                .findFirst();
    }

    /** Returns {@code true} if a lock is a row, which has to exist beforehand. */
    public boolean locksRows() {
        return true;
    }

    /**
     * Makes the row of a lock if it does not exist, on a connection with auto-commit.
     *
     * @param seconds the maximum wait for another transaction that makes it
     */
    public final void makeRow(Connection connection, String table, String name, int seconds) throws SQLException {
        // a row that is locked is not inserted again, because MySQL would wait for it
        if (hasRow(connection, table, name)) {
            return;
        }
        String sql = "INSERT INTO " + table + " (name, token) VALUES (?, 0)";
        try (PreparedStatement statement = connection.prepareStatement(sql);
                Limited limited = Limited.to(seconds, statement)) {
            statement.setObject(1, lockKey(name));
            limited.statement().executeUpdate();
        } catch (SQLIntegrityConstraintViolationException e) {
            // another transaction has made it meanwhile
            if (!hasRow(connection, table, name)) {
                throw e;
            }
        }
    }

    private static boolean hasRow(Connection connection, String table, String name) throws SQLException {
        return known(connection, table, lockKey(name)).isPresent();
    }

    /**
     * Locks a name until the transaction ends.
     *
     * @param seconds the maximum wait
     * @throws SQLException also if there is nothing to lock, because the transaction does not see the row
     */
    public final void lock(Connection transaction, String table, String name, int seconds) throws SQLException {
        try (PreparedStatement statement = transaction.prepareStatement(lockStatement(table));
                Limited limited = Limited.to(seconds, statement)) {
            statement.setObject(1, lockArgument(lockKey(name)));
            try (ResultSet locked = limited.statement().executeQuery()) {
                if (!locked.next()) {
                    throw repeat(
                            quoted(name) + " is not locked: its row in " + table
                                    + " was made after this transaction began, or was deleted",
                            null);
                }
            }
        }
    }

    String lockStatement(String table) {
        return "SELECT token FROM " + table + " WHERE name = ? FOR UPDATE";
    }

    Object lockArgument(byte[] key) {
        return key;
    }

    private static byte[] guardKey(String name) {
        return ("G" + name).getBytes(StandardCharsets.UTF_8);
    }

    private static byte[] lockKey(String name) {
        return ("L" + name).getBytes(StandardCharsets.UTF_8);
    }

    private static byte[] sha256(byte[] bytes) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(bytes);
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError("every JDK has SHA-256", e);
        }
    }
}
