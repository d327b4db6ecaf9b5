package io.holdfast.jdbc.connection;

import io.holdfast.jdbc.sql.Dialect;
import io.holdfast.jdbc.sql.Verdict;
import io.holdfast.spi.StoreException;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Optional;

/**
 * The tables, which are created if they are missing, and checked if they exist.
 *
 * @param creates whether missing tables are created
 */
record Schema(Dialect dialect, Failures failures, boolean creates) {

    /**
     * Finds the schema of the tables, on the first connection.
     *
     * @throws StoreException if there is none
     * @throws SQLException if the database refuses or does not answer
     */
    void locate(Connection connection) throws SQLException {
        if (!dialect.locate(connection)) {
            throw failures.refused("connect", dialect.noSchema());
        }
    }

    /**
     * Prepares the tables in their schema, before any other statement, and after they were dropped.
     *
     * @throws StoreException if another table has that name
     * @throws SQLException if the database refuses or does not answer
     */
    void prepare(Connection connection) throws SQLException {
        requireUnambiguous(connection);
        createIfMissing(connection);
        // race: two clients that begin at the same time create tables in two schemas, and one of them sees both
        requireUnambiguous(connection);
    }

    private void requireUnambiguous(Connection connection) throws SQLException {
        Optional<String> ambiguity = dialect.ambiguity(connection);
        if (ambiguity.isPresent()) {
            throw failures.refused("connect", ambiguity.get());
        }
    }

    private void createIfMissing(Connection connection) throws SQLException {
        try {
            requireOurs(dialect.check(connection));
        } catch (SQLException e) {
            requireOurs(dialect.verdict(e) != Verdict.OTHER_TABLE);
            if (dialect.verdict(e) != Verdict.NO_TABLE) {
                throw e;
            }
            if (!creates) {
                throw failures.refused("connect", dialect.createByHand());
            }
            create(connection);
            requireOurs(dialect.check(connection));
        }
    }

    private void requireOurs(boolean ours) {
        if (!ours) {
            throw failures.refused("connect", dialect.otherTable());
        }
    }

    /** Creates the tables. That fails also if another client creates them at the same time. */
    private void create(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            for (String sql : dialect.schema()) {
                statement.execute(sql);
            }
        } catch (SQLException e) {
            if (!exist(connection)) {
                throw e;
            }
        }
    }

    private boolean exist(Connection connection) throws SQLException {
        try {
            return dialect.check(connection);
        } catch (SQLException e) {
            if (dialect.verdict(e) == Verdict.NO_TABLE) {
                return false;
            }
            throw e;
        }
    }
}
