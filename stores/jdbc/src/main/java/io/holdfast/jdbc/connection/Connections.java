package io.holdfast.jdbc.connection;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.holdfast.jdbc.connection.Database.Lifetime;
import io.holdfast.jdbc.record.Sessions;
import io.holdfast.jdbc.sql.Dialect;
import io.holdfast.jdbc.sql.Verdict;
import io.holdfast.spi.StoreConfig;
import io.holdfast.spi.StoreException;
import io.holdfast.spi.StoreException.Effect;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTimeoutException;
import java.util.Optional;
import java.util.Properties;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The connections of a client. No user's transaction ever runs on them. The first connection prepares the tables. Each statement
 * is a transaction of its own.
 */
public final class Connections implements Sessions {

    /** The size of the pool. It exceeds the number of calling threads, so that stuck callers leave a connection for renewals. */
    private static final int POOL_SIZE = 12;

    /** The size of the pool if its connections are borrowed: the user's pool may have no more than ten. */
    private static final int BORROWED_SIZE = 5;

    private static final long BORROWED_IDLE_MILLIS = 10_000;
    private static final long BORROWED_MILLIS = 300_000;

    private static final long MIN_TIMEOUT_MILLIS = 250;
    private static final long CLOSE_MILLIS = 5_000;

    private static final Logger LOG = LoggerFactory.getLogger(Connections.class);

    private final Database database;
    private final Dialect dialect;
    private final Failures failures;
    private final Schema schema;
    private final ThreadFactory threads;
    private final Opener opener;
    private final Source source;
    private final HikariDataSource pool;
    private final long connectMillis;
    private final long timeoutMillis;
    private final ReentrantLock preparing = new ReentrantLock();
    private final AtomicBoolean anchored = new AtomicBoolean();
    private volatile boolean prepared;

    /** Creates the connections of a client, and opens none. */
    public Connections(StoreConfig config, Database database) {
        this.database = database;
        dialect = database.dialect();
        failures = new Failures(dialect, database.shown());
        schema = new Schema(dialect, failures, database.createsTables());
        // less than the command timeout, so that a request which got no connection fails as not applied
        timeoutMillis = atLeast(Math.min(
                config.commandTimeout().toMillis() * 3 / 4,
                config.connectTimeout().toMillis()));
        String name =
                "holdfast-" + config.client().name().orElse(config.client().id()) + "-jdbc";
        threads = Opener.daemons(name);
        connectMillis = atLeast(config.connectTimeout().toMillis());
        opener = new Opener(threads, connectMillis, database.explanation());
        source = new Source(
                database.driver(), dialect, Math.max(1, config.commandTimeout().toMillis()), opener);
        // passes properties explicitly, because Hikari would otherwise read a properties file of the user
        HikariConfig options = new HikariConfig(new Properties());
        options.setPoolName(name);
        options.setDataSource(source);
        options.setThreadFactory(threads);
        options.setAutoCommit(!dialect.commits());
        if (database.lifetime() != Lifetime.USE || !dialect.commits()) {
            // as the dialect sets it: HikariCP would take it from the first connection, and two threads that make one
            // at the same time see it half done (race). H2 leaves the connections of a user as they are
            options.setTransactionIsolation("TRANSACTION_READ_COMMITTED");
        }
        size(options, database.lifetime());
        options.setInitializationFailTimeout(-1);
        options.setConnectionTimeout(timeoutMillis);
        options.setValidationTimeout(MIN_TIMEOUT_MILLIS);
        pool = new HikariDataSource(options);
    }

    private static void size(HikariConfig options, Lifetime lifetime) {
        boolean borrowed = lifetime == Lifetime.USE;
        options.setMaximumPoolSize(borrowed ? BORROWED_SIZE : POOL_SIZE);
        options.setMinimumIdle(1);
        options.setIdleTimeout(borrowed ? BORROWED_IDLE_MILLIS : options.getIdleTimeout());
        options.setMaxLifetime(borrowed ? BORROWED_MILLIS : 0);
    }

    private static long atLeast(long millis) {
        return Math.max(MIN_TIMEOUT_MILLIS, millis);
    }

    /**
     * Connects, and waits for the connection. It fails at once if the failure is permanent.
     *
     * @throws StoreException if no connection was opened
     */
    public void connect() {
        onItsOwnThread(this::connectHere);
    }

    @Override
    public int callers() {
        return database.lifetime() == Lifetime.USE ? BORROWED_SIZE - 2 : POOL_SIZE;
    }

    @Override
    public void onItsOwnThread(Runnable task) {
        try {
            CompletableFuture.runAsync(
                            task, command -> threads.newThread(command).start())
                    .join();
        } catch (CompletionException e) {
            throw e.getCause() instanceof RuntimeException cause ? cause : e;
        }
    }

    private void connectHere() {
        String what = "connect";
        // the pool of the user may have no second one, and has returned one before
        Optional<Connection> first = database.lifetime() == Lifetime.USE ? Optional.empty() : openFirst(what);
        try {
            release(borrowFirst(what), false);
        } finally {
            first.ifPresent(opened -> release(opened, false));
        }
    }

    /**
     * Opens a connection without the pool, because the pool would retry even a permanent failure. Returns empty if the failure
     * may be temporary.
     */
    private Optional<Connection> openFirst(String what) {
        try {
            return Optional.of(source.getConnection());
        } catch (SQLException e) {
            StoreException failure = failures.opening(what, e, false);
            if (failure.effect() == Effect.REFUSED || e instanceof SQLTimeoutException) {
                throw failure;
            }
            return Optional.empty();
        }
    }

    /** Borrows a connection. The pool is asked as often as the connect timeout permits. */
    private Connection borrowFirst(String what) {
        for (long left = connectMillis - timeoutMillis; ; left -= timeoutMillis) {
            try {
                return borrow(what);
            } catch (StoreException e) {
                if (e.effect() == Effect.REFUSED || left < timeoutMillis) {
                    throw e;
                }
            }
        }
    }

    /**
     * Borrows a connection from the pool.
     *
     * @throws StoreException if there is none
     */
    Connection borrow(String what) {
        try {
            Connection connection = pool.getConnection();
            if (!prepared) {
                prepare(connection);
            }
            return connection;
        } catch (SQLException e) {
            throw failures.opening(what, e, prepared);
        }
    }

    private void prepare(Connection connection) throws SQLException {
        try {
            // one at a time, because the sessions of two connections may find the tables in different schemas
            if (!preparing.tryLock(timeoutMillis, TimeUnit.MILLISECONDS)) {
                throw new SQLTimeoutException(
                        "the tables are being prepared for more than " + timeoutMillis + " ms", "HFDTO");
            }
            try {
                if (!prepared) {
                    prepareTables(connection);
                }
            } finally {
                preparing.unlock();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new SQLException("interrupted", "HFDTO", e);
        } finally {
            if (!prepared) {
                release(connection, true);
            }
        }
    }

    private void prepareTables(Connection connection) throws SQLException {
        dialect.requireOneWriter(connection);
        schema.prepare(connection);
        dialect.concern(connection).ifPresent(text -> LOG.warn("{}: {}", database.shown(), text));
        if (database.lifetime() == Lifetime.DATABASE && anchored.compareAndSet(false, true)) {
            anchor();
        }
        if (database.lifetime() == Lifetime.USE) {
            // only the pool waits for the opener from now on. It uses a connection that comes late, because another
            // one would have to wait behind all others
            opener.limit(BORROWED_MILLIS);
        }
        prepared = true;
    }

    /** Opens a connection outside the pool: a database in memory ends with its last connection. */
    private void anchor() throws SQLException {
        boolean done = false;
        try {
            var unused = source.getConnection();
            done = true;
        } finally {
            anchored.set(done);
        }
    }

    @Override
    public <T> T run(String what, Work<T> work) {
        Connection connection = borrow(what);
        boolean usable = false;
        try {
            T result = work.on(connection);
            usable = true;
            return result;
        } catch (SQLException e) {
            throw failures.notApplied(what, e);
        } catch (StoreException e) {
            usable = !(e.getCause() instanceof SQLException cause) || dialect.verdict(cause) == Verdict.LOCKED;
            throw e;
        } finally {
            // the pool ends a transaction that has only read
            release(connection, !usable);
        }
    }

    @Override
    public <T> Optional<T> write(String what, Connection connection, Write<T> statement) {
        Optional<T> result = execute(what, connection, statement);
        if (dialect.commits()) {
            commit(what, connection);
        }
        return result;
    }

    /** Executes a statement. Where a commit follows, a failed statement has written nothing. */
    private <T> Optional<T> execute(String what, Connection connection, Write<T> statement) {
        try {
            if (dialect.commits()) {
                // a client that was paused since it has read must not write by the time of then
                connection.rollback();
            }
            return Optional.of(statement.run());
        } catch (SQLException e) {
            Verdict verdict = dialect.verdict(e);
            if (verdict == Verdict.AGAIN) {
                return Optional.empty();
            }
            throw verdict == Verdict.UNKNOWN && !dialect.commits()
                    ? failures.unknown(what, e)
                    : failures.notApplied(what, e);
        }
    }

    private void commit(String what, Connection connection) {
        try {
            connection.commit();
        } catch (SQLException e) {
            throw failures.unknown(what, e);
        }
    }

    @Override
    public Connection open(String what) {
        try {
            return source.getConnection();
        } catch (SQLException e) {
            throw failures.opening(what, e, prepared);
        }
    }

    @Override
    public StoreException rowLocked(String what) {
        return failures.rowLocked(what);
    }

    @Override
    public String address() {
        return database.shown();
    }

    /**
     * Returns a connection to the pool. The outcome of its statement is already decided, so a failure to close it is not
     * reported.
     */
    void release(Connection connection, boolean broken) {
        if (broken) {
            pool.evictConnection(connection);
        }
        try {
            connection.close();
        } catch (SQLException e) {
            pool.evictConnection(connection);
        }
    }

    /**
     * Closes the connections, and waits for that with a time limit, because a database may hang. The pool is closed on a thread
     * of its own, because an interrupt would make the pool leave its threads running.
     */
    @Override
    public void close() {
        opener.close();
        CompletableFuture<Void> allClosed = new CompletableFuture<>();
        threads.newThread(() -> closeAll(allClosed)).start();
        allClosed.completeOnTimeout(null, CLOSE_MILLIS, TimeUnit.MILLISECONDS).join();
    }

    private void closeAll(CompletableFuture<Void> allClosed) {
        try {
            pool.close();
        } finally {
            var unused = source.closeConnections(task -> threads.newThread(task).start())
                    .whenComplete((nothing, error) -> allClosed.complete(null));
        }
    }
}
