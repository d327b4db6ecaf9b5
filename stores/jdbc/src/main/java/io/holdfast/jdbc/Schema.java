package io.holdfast.jdbc;

import io.holdfast.jdbc.sql.Dialect;
import io.holdfast.jdbc.sql.Tables;
import io.holdfast.spi.StoreException;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;

/** The table, which is created if it is missing, and checked if it exists. */
record Schema(Dialect dialect, Failures failures) {

    private static final String TABLE_IS_ANOTHER = "table " + Tables.DEFAULT.locks()
            + " has other columns, as an earlier version or another program has made it;"
            + " rename it, and a new one will be created";
    /** H2 answers 42S03 if it then finds a table of a similar name, which another client may have created in the meantime. */
    private static final List<String> NO_SUCH_TABLE = List.of("42S02", "42S03", "42S04");

    /**
     * Prepares the table, before any other statement on the first connection.
     *
     * @throws StoreException if another table has that name
     * @throws SQLException if the database refuses or does not answer
     */
    void prepare(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            try {
                dialect.check(connection);
            } catch (SQLException e) {
                if ("42S22".equals(e.getSQLState())) {
                    throw failures.refused("connect", TABLE_IS_ANOTHER);
                }
                if (!NO_SUCH_TABLE.contains(e.getSQLState())) {
                    throw e;
                }
                for (String sql : dialect.schema()) {
                    statement.execute(sql);
                }
                dialect.check(connection);
            }
        }
    }
}
