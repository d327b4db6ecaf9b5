package io.holdfast.jdbc.sql;

import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.Optional;
import java.util.UUID;

/**
 * The table of a fence, which an administrator may have made. It must keep exact tokens of exact names, one row for a name, and
 * nothing of a transaction that was rolled back. Otherwise a fence would admit old tokens in silence. So all of that is tried with
 * names that no lock has, in a transaction that is rolled back.
 *
 * @param name the name of the table
 * @param statement the statement that makes a table of the right form
 */
record FenceTable(String name, String statement) {

    private static final int KEY_BYTES = 513;
    private static final long TOKEN = Long.MAX_VALUE - 1;

    /**
     * Tries the table.
     *
     * @param connection a connection with auto-commit
     * @throws SQLException if the table does not serve, or if the database fails
     */
    void check(Connection connection) throws SQLException {
        byte[] key = new byte[KEY_BYTES];
        Arrays.fill(key, (byte) 'a');
        byte[] unique = ("P" + UUID.randomUUID()).getBytes(StandardCharsets.US_ASCII);
        System.arraycopy(unique, 0, key, 0, unique.length);
        byte[] other = key.clone();
        other[KEY_BYTES - 1] = 'A';
        connection.setAutoCommit(false);
        try {
            Optional<SQLException> refusal = insert(connection, key);
            require(refusal.isEmpty(), refusal, "it does not take a name of 512 bytes with the token " + TOKEN);
            refusal = insert(connection, other);
            require(refusal.isEmpty(), refusal, "it does not tell upper case from lower case");
            require(keeps(connection, key), Optional.empty(), "it does not keep the token that was written");
            require(insert(connection, key).isPresent(), Optional.empty(), "it keeps two rows of one name");
        } finally {
            connection.rollback();
            connection.setAutoCommit(true);
        }
        require(!keeps(connection, key), Optional.empty(), "it keeps what was rolled back");
    }

    /** Inserts a row. Returns why the table takes no such row; empty if it does. */
    private Optional<SQLException> insert(Connection connection, byte[] key) throws SQLException {
        try {
            var unused =
                    Statements.update(connection, "INSERT INTO " + name + " (name, token) VALUES (?, ?)", key, TOKEN);
            return Optional.empty();
        } catch (SQLException e) {
            // data that do not fit (22), or that are there already (23)
            if (String.valueOf(e.getSQLState()).matches("2[23].*")) {
                return Optional.of(e);
            }
            throw e;
        }
    }

    private boolean keeps(Connection connection, byte[] key) throws SQLException {
        return Statements.query(
                        connection,
                        "SELECT token FROM " + name + " WHERE name = ?",
                        line -> line.getBigDecimal(1).toPlainString(),
                        (Object) key)
                .contains(Long.toString(TOKEN));
    }

    private void require(boolean holds, Optional<SQLException> cause, String otherwise) throws SQLException {
        if (!holds) {
            throw new SQLException(
                    "the table " + name + " does not serve as a fence: " + otherwise + "; drop it, and make it by: "
                            + statement,
                    cause.orElse(null));
        }
    }
}
