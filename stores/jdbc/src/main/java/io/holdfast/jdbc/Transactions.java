package io.holdfast.jdbc;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.holdfast.spi.StoreConfig;
import io.holdfast.spi.StoreException;
import io.holdfast.spi.StoreException.Effect;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * Short transactions, each on a connection of its own that no user's transaction ever sees.
 *
 * <p>They are ended by a commit that is sent by itself. A driver may send a statement that commits by itself once more, on
 * another connection, when its answer stays out; it can't do that with a part of a transaction. So each statement is applied
 * once, and what fails before the commit was not applied at all.
 */
final class Transactions implements AutoCloseable {

    /** One more than there are threads that call, so that none keeps a renewal waiting. */
    private static final int CONNECTIONS = 12;

    private static final int TRIES = 20;
    private static final long LEAST_TIMEOUT_MILLIS = 250;

    private final Address database;
    private final Failures failures;
    private final Schema schema;
    private final HikariDataSource pool;
    private final long timeoutMillis;
    private volatile boolean prepared;

    /** What is done in a transaction. */
    interface Work<T> {

        /** Empty if others were faster, so that it has to be done again from the beginning. */
        Optional<T> in(Connection connection) throws SQLException;
    }

    /** Reads a line of a result. */
    interface Reader<T> {
        T read(ResultSet line) throws SQLException;
    }

    Transactions(StoreConfig config, Address database, Failures failures) {
        this.database = database;
        this.failures = failures;
        schema = new Schema(failures);
        timeoutMillis = atLeast(config.commandTimeout().toMillis());
        String name =
                "holdfast-" + config.client().name().orElse(config.client().id()) + "-jdbc";
        HikariConfig options = new HikariConfig();
        options.setPoolName(name);
        options.setJdbcUrl(database.url());
        options.setThreadFactory(task -> {
            Thread thread = new Thread(task, name);
            thread.setDaemon(true);
            return thread;
        });
        options.setAutoCommit(false);
        options.setMaximumPoolSize(CONNECTIONS);
        options.setMinimumIdle(1);
        // a database in memory ends with its last connection
        options.setMaxLifetime(0);
        options.setInitializationFailTimeout(-1);
        options.setConnectionTimeout(atLeast(config.connectTimeout().toMillis()));
        options.setValidationTimeout(LEAST_TIMEOUT_MILLIS);
        options.setConnectionInitSql(
                "SET LOCK_TIMEOUT " + config.commandTimeout().toMillis() / 4);
        pool = new HikariDataSource(options);
    }

    private static long atLeast(long millis) {
        return Math.max(LEAST_TIMEOUT_MILLIS, millis);
    }

    /**
     * Connects, and waits for it; but not for what has to be repaired first.
     *
     * @throws StoreException if that failed
     */
    void connect() {
        try (Connection first = DriverManager.getConnection(database.url())) {
            run("connect", connection -> Optional.of(first));
        } catch (SQLException e) {
            StoreException failure = failures.notApplied("connect", e);
            if (failure.effect() == Effect.REFUSED) {
                throw failure;
            }
            run("connect", Optional::of);
        }
    }

    <T> CompletionStage<T> start(String what, Work<T> work) {
        try {
            return CompletableFuture.completedStage(run(what, work));
        } catch (StoreException e) {
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
        Connection connection = pool.getConnection();
        try {
            prepare(connection);
            Optional<T> result = work.in(connection);
            commit(what, connection);
            return result;
        } catch (SQLException e) {
            if (Failures.isRace(e)) {
                connection.rollback();
                return Optional.empty();
            }
            pool.evictConnection(connection);
            throw e;
        } finally {
            connection.close();
        }
    }

    private void prepare(Connection connection) throws SQLException {
        if (!prepared) {
            schema.prepare(connection);
            prepared = true;
            pool.getHikariConfigMXBean().setConnectionTimeout(timeoutMillis);
        }
    }

    private void commit(String what, Connection connection) {
        try {
            connection.commit();
        } catch (SQLException e) {
            pool.evictConnection(connection);
            throw failures.unknown(what, e);
        }
    }

    static int update(Connection connection, String sql) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            return statement.executeUpdate();
        }
    }

    static <T> List<T> query(Connection connection, String sql, Reader<T> reader, Object... arguments)
            throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            for (int i = 0; i < arguments.length; i++) {
                statement.setObject(i + 1, arguments[i]);
            }
            List<T> lines = new ArrayList<>();
            try (ResultSet result = statement.executeQuery()) {
                while (result.next()) {
                    lines.add(reader.read(result));
                }
            }
            return lines;
        }
    }

    @Override
    public void close() {
        pool.close();
    }
}
