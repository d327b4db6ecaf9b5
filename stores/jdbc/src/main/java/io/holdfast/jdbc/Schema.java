package io.holdfast.jdbc;

import io.holdfast.spi.StoreException;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;

/** The table: created where there is none, checked where there is one. */
record Schema(Failures failures) {

    private static final List<String> NO_SUCH_TABLE = List.of("42S02", "42S04");

    /**
     * Before anything else on the first connection.
     *
     * @throws StoreException if locks would not be safe there
     */
    void prepare(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            try {
                statement.executeQuery(Sql.CHECK).close();
            } catch (SQLException e) {
                if (!NO_SUCH_TABLE.contains(e.getSQLState())) {
                    throw e;
                }
                statement.execute(Sql.CREATE);
                statement.executeQuery(Sql.CHECK).close();
            }
        }
        requireDurable(connection);
        connection.commit();
    }

    /** What was granted must not be forgotten when the process that serves the file dies. */
    private void requireDurable(Connection connection) throws SQLException {
        List<String> delay = Transactions.query(connection, Sql.WRITE_DELAY, line -> line.getString(1));
        if (delay.isEmpty() || !delay.stream().allMatch("0"::equals)) {
            throw failures.refused(
                    "connect",
                    "its WRITE_DELAY is " + delay + ", so that it may forget locks; let an administrator run"
                            + " SET WRITE_DELAY 0");
        }
    }
}
