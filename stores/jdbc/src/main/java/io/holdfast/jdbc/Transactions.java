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
 * <p>Each transaction ends with a commit that is sent separately. If the answer to an autocommit statement does not arrive, a
 * driver may send the statement again on another connection (a late duplicate). It cannot do that with part of a transaction.
 */
record Transactions(Connections connections, Failures failures) {

    private static final int TRIES = 20;

    /** The work that is done in a transaction. */
    interface Work<T> {

        /**
         * Does the work. Returns empty if another transaction was faster, so that the work has to be repeated from the
         * beginning.
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

    /** Runs a call. Any failure fails the stage, even one that is caused by a row that somebody wrote by hand. */
    static <T> CompletionStage<T> start(Supplier<T> call) {
        try {
            return CompletableFuture.completedStage(call.get());
        } catch (RuntimeException e) {
            return CompletableFuture.failedStage(e);
        }
    }

    <T> T run(String what, Work<T> work) {
        try {
            return tryOften(what, work);
        } catch (SQLException e) {
            throw failures.notApplied(what, e);
        }
    }

    /**
     * Runs the work in a transaction, and repeats it while other transactions are faster.
     *
     * @throws SQLException if nothing was applied
     */
    <T> T tryOften(String what, Work<T> work) throws SQLException {
        for (int i = 0; i < TRIES; i++) {
            Optional<T> result = once(what, work);
            if (result.isPresent()) {
                return result.get();
            }
        }
        throw new StoreException(
                Effect.NOT_APPLIED,
                what + ": lost the race against other transactions " + TRIES
                        + " times in a row; nothing was applied, retry");
    }

    private <T> Optional<T> once(String what, Work<T> work) throws SQLException {
        Connection connection = connections.take(what);
        boolean whole = false;
        try {
            Optional<T> result = work.in(connection);
            commit(what, connection);
            whole = true;
            return result;
        } catch (SQLException e) {
            if (Failures.isRace(e) || Failures.isLockedRow(e)) {
                connection.rollback();
                whole = true;
            }
            if (Failures.isRace(e)) {
                return Optional.empty();
            }
            throw e;
        } finally {
            connections.give(connection, !whole);
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
