package io.holdfast.jdbc;

import io.holdfast.spi.StoreException;
import io.holdfast.spi.StoreException.Effect;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

/**
 * Short transactions.
 *
 * <p>Invariant: each statement is applied at most once, and a transaction that fails before its commit is not applied at all.
 *
 * <p>Each transaction ends with a commit that is sent separately. If the answer to an autocommit statement is lost, a driver may
 * resend the statement on another connection (late duplicate). It cannot resend a part of a transaction.
 */
record Transactions(Connections connections, Failures failures) {

    private static final int MAX_ATTEMPTS = 20;

    /** The work of a transaction. */
    interface Work<T> {

        /**
         * Does the work. Returns empty if it lost a race against another transaction, and has to be repeated from the beginning.
         */
        Optional<T> in(Connection connection) throws SQLException;
    }

    /** A reader of one line of a result. */
    interface Reader<T> {
        T read(ResultSet line) throws SQLException;
    }

    <T> CompletionStage<T> start(String what, Work<T> work) {
        return start(() -> run(what, work));
    }

    /** Runs a call. Any exception fails the stage, even one that a row written by a person causes. */
    static <T> CompletionStage<T> start(Supplier<T> call) {
        try {
            return CompletableFuture.completedStage(call.get());
        } catch (RuntimeException e) {
            return CompletableFuture.failedStage(e);
        }
    }

    <T> T run(String what, Work<T> work) {
        try {
            return retry(what, work);
        } catch (SQLException e) {
            throw failures.notApplied(what, e);
        }
    }

    /**
     * Runs the work in a transaction, and repeats it while it loses races against other transactions.
     *
     * @throws SQLException if nothing was applied
     */
    <T> T retry(String what, Work<T> work) throws SQLException {
        for (int i = 0; i < MAX_ATTEMPTS; i++) {
            Optional<T> result = attempt(what, work);
            if (result.isPresent()) {
                return result.get();
            }
        }
        throw new StoreException(
                Effect.NOT_APPLIED,
                what + ": lost the race against other transactions " + MAX_ATTEMPTS
                        + " times in a row; nothing was applied, retry");
    }

    private <T> Optional<T> attempt(String what, Work<T> work) throws SQLException {
        Connection connection = connections.borrow(what);
        boolean ended = false;
        try {
            Optional<T> result = work.in(connection);
            commit(what, connection);
            ended = true;
            return result;
        } catch (SQLException e) {
            if (Failures.isRace(e) || Failures.isLockedRow(e)) {
                connection.rollback();
                ended = true;
            }
            if (Failures.isRace(e)) {
                return Optional.empty();
            }
            throw e;
        } finally {
            connections.release(connection, !ended);
        }
    }

    private void commit(String what, Connection connection) {
        try {
            connection.commit();
        } catch (SQLException e) {
            throw failures.unknown(what, e);
        }
    }

    static int update(Connection connection, String sql, Object... arguments) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            set(statement, arguments);
            return statement.executeUpdate();
        }
    }

    static <T> List<T> query(Connection connection, String sql, Reader<T> reader, Object... arguments)
            throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            set(statement, arguments);
            List<T> lines = new ArrayList<>();
            try (ResultSet result = statement.executeQuery()) {
                while (result.next()) {
                    lines.add(reader.read(result));
                }
            }
            return lines;
        }
    }

    private static void set(PreparedStatement statement, Object... arguments) throws SQLException {
        for (int i = 0; i < arguments.length; i++) {
            statement.setObject(i + 1, arguments[i]);
        }
    }
}
