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
 * <p>They are ended by a commit that is sent by itself. A driver may send a statement that commits by itself once more, on
 * another connection, when its answer stays out; it can't do that with a part of a transaction. So each statement is applied
 * once, and what fails before the commit was not applied at all.
 */
record Transactions(Connections connections, Failures failures) {

    private static final int TRIES = 20;

    /** What is done in a transaction. */
    interface Work<T> {

        /** Empty if others were faster, so that it has to be done again from the beginning. */
        Optional<T> in(Connection connection) throws SQLException;
    }

    /** Reads a line of a result. */
    interface Reader<T> {
        T read(ResultSet line) throws SQLException;
    }

    <T> CompletionStage<T> start(String what, Work<T> work) {
        return start(() -> run(what, work));
    }

    /** What fails, fails the stage; also by a row that somebody wrote by hand. */
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

    /** @throws SQLException if nothing was applied */
    <T> T tryOften(String what, Work<T> work) throws SQLException {
        for (int i = 0; i < TRIES; i++) {
            Optional<T> result = once(what, work);
            if (result.isPresent()) {
                return result.get();
            }
        }
        throw new StoreException(Effect.NOT_APPLIED, what + ": others were faster " + TRIES + " times");
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
