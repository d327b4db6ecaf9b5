package io.holdfast.jdbc.sql;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;

/**
 * A transaction of one statement behind a connection pooler.
 *
 * @param settings the statements that begin it
 */
record PooledTransaction(Connection connection, String settings) {

    /** The SQL state of a transaction that may have been committed. */
    private static final String UNKNOWN = "08007";

    /** The state, of no standard, of a transaction whose connection was lost before the commit was sent. */
    static final String NOT_COMMITTED = "HF001";

    /** The states of the network, and of a server that ends a connection. */
    private static final Pattern LOST = Pattern.compile("08.*|57P0[125]");

    /** A statement that is executed. */
    interface Execution {
        @Nullable
        Object run() throws Throwable;
    }

    @Nullable
    Object run(Execution execution) throws Throwable {
        PGConnection driver = connection.unwrap(PGConnection.class);
        int before = driver.getPrepareThreshold();
        // even the driver's own BEGIN and COMMIT would be prepared at the server
        driver.setPrepareThreshold(0);
        try {
            return execute(execution);
        } finally {
            driver.setPrepareThreshold(before);
        }
    }

    private @Nullable Object execute(Execution execution) throws Throwable {
        Object result;
        try {
            connection.setAutoCommit(false);
            try (Statement statement = connection.createStatement()) {
                var unused = statement.execute(settings);
            }
            result = execution.run();
        } catch (SQLException e) {
            boolean rolledBack = rollBack(e);
            throw rolledBack && !isOfConnection(e) ? e : notCommitted(e);
        } catch (Throwable e) {
            var unused = rollBack(e);
            throw e;
        }
        commit();
        return result;
    }

    private static boolean isOfConnection(SQLException e) {
        return e.getSQLState() == null || LOST.matcher(e.getSQLState()).matches();
    }

    private static SQLException notCommitted(SQLException e) {
        return new SQLException("the connection was lost before the commit: " + e.getMessage(), NOT_COMMITTED, e);
    }

    private void commit() throws SQLException {
        try {
            connection.commit();
            connection.setAutoCommit(true);
        } catch (SQLException e) {
            throw new SQLException("the transaction may have been committed: " + e.getMessage(), UNKNOWN, e);
        }
    }

    /**
     * Rolls back, or ends the connection: one that is committed automatically again commits what is still open. Returns
     * {@code true} if the connection can be used.
     */
    private boolean rollBack(Throwable failure) {
        try {
            connection.rollback();
            connection.setAutoCommit(true);
            return true;
        } catch (SQLException e) {
            failure.addSuppressed(e);
            end(failure);
            return false;
        }
    }

    private void end(Throwable failure) {
        try {
            connection.abort(Runnable::run);
        } catch (SQLException e) {
            failure.addSuppressed(e);
        }
    }
}
