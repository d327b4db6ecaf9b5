package io.holdfast.jdbc.connection;

import io.holdfast.jdbc.record.Sessions;
import io.holdfast.jdbc.sql.Dialect;
import io.holdfast.jdbc.sql.Verdict;
import io.holdfast.spi.Platform;
import io.holdfast.spi.StoreConfig;
import io.holdfast.spi.StoreException;
import io.holdfast.spi.StoreException.Effect;
import io.holdfast.support.FirstConnection;
import io.holdfast.support.NothingListens;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The connections of a client. No user's transaction ever runs on them. The first connection prepares the tables. Each statement
 * is a transaction of its own.
 */
public final class Connections implements Sessions {

    /** For this time, the first connections that an application lends late are used. */
    private static final long BORROWING_MILLIS = 300_000;

    private static final long LEAVING_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final int VALID_SECONDS = 1;
    private static final long MIN_TIMEOUT_MILLIS = 250;
    private static final long CLOSE_MILLIS = 5_000;
    private static final String CONNECT = "connect";

    private static final Logger LOG = LoggerFactory.getLogger(Connections.class);

    private final Database database;
    private final Dialect dialect;
    private final Failures failures;
    private final Schema schema;
    private final ThreadFactory threads;
    private final Opener opener;
    private final Source source;
    private final ConnectionPool pool;
    private final long connectMillis;
    private final long timeoutMillis;
    private final ReentrantLock preparing = new ReentrantLock();
    private final AtomicBoolean anchored = new AtomicBoolean();
    private final Platform platform;
    /** The time at which a server was left. */
    private final AtomicLong leftAt;

    /** Set when the first connection was prepared. */
    private volatile boolean connected;

    /** Set while the tables exist, as far as is known. */
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
        platform = config.platform();
        leftAt = new AtomicLong(platform.nanoTime() - 2 * LEAVING_NANOS);
        threads = Opener.daemons(name);
        connectMillis = atLeast(config.connectTimeout().toMillis());
        opener = new Opener(threads, connectMillis, database.explanation());
        source = new Source(
                database.driver(), dialect, Math.max(1, config.commandTimeout().toMillis()), opener);
        pool = database.application()
                .<ConnectionPool>map(application ->
                        new BorrowedPool(source, application, threads, timeoutMillis, platform::nanoTime))
                .orElseGet(() -> new OwnedPool(name, source, dialect, threads, timeoutMillis));
    }

    private static long atLeast(long millis) {
        return Math.max(MIN_TIMEOUT_MILLIS, millis);
    }

    /**
     * Connects, and waits for the connection, for about the connect timeout at most. A permanent failure of a connection that the
     * client opens itself ends the wait, and so does an address at which nothing listens.
     *
     * @throws StoreException if no connection was opened
     */
    public void connect() {
        join(onItsOwnThread(this::connectHere));
    }

    @Override
    public int callers() {
        return pool.callers();
    }

    @Override
    public void onItsOwnThread(Runnable task, Duration limit) {
        join(onItsOwnThread(task).completeOnTimeout(null, limit.toMillis(), TimeUnit.MILLISECONDS));
    }

    private CompletableFuture<Void> onItsOwnThread(Runnable task) {
        return CompletableFuture.runAsync(
                task, command -> threads.newThread(command).start());
    }

    private static void join(CompletableFuture<Void> end) {
        try {
            end.join();
        } catch (CompletionException e) {
            throw e.getCause() instanceof RuntimeException cause ? cause : e;
        }
    }

    private void connectHere() {
        FirstConnection first = new FirstConnection(platform, Duration.ofMillis(connectMillis));
        // the pool of the user may have no second one
        if (database.application().isEmpty()) {
            openFirst();
        }
        Connection connection = first.get(() -> borrow(CONNECT));
        try {
            warnIfPoolIsSmall();
        } finally {
            release(connection, false);
        }
    }

    /** Warns if the application has too few connections. One that does not tell its size is asked for a second connection. */
    private void warnIfPoolIsSmall() {
        boolean small = database.application()
                .map(application -> application.isSmall().orElseGet(() -> !lendsAnother()))
                .orElse(false);
        if (small) {
            LOG.warn("{}: {}", database.shown(), ApplicationPool.TOO_SMALL);
        }
    }

    private boolean lendsAnother() {
        try {
            release(pool.get(), false);
            return true;
        } catch (SQLException e) {
            LOG.debug("the DataSource lends no second connection", e);
            return false;
        }
    }

    /** Opens the first connection of the pool, which would retry even a permanent failure. A temporary one is left to it. */
    private void openFirst() {
        try {
            source.openReady();
        } catch (SQLException e) {
            StoreException failure = failures.opening(CONNECT, e, false);
            if (failure.effect() == Effect.REFUSED || Opener.isTimeout(e) || nothingListens(failure)) {
                throw failure;
            }
        }
    }

    /** Returns {@code true} if nothing listens at the only address. Of several, a driver reports the failure of the last one. */
    private boolean nothingListens(StoreException failure) {
        return !database.shown().contains(",") && NothingListens.isCauseOf(failure);
    }

    /**
     * Borrows a connection from the pool.
     *
     * @throws StoreException if there is none
     */
    Connection borrow(String what) {
        try {
            Connection connection = pool.get();
            if (!prepared) {
                prepare(connection);
            }
            return connection;
        } catch (SQLException e) {
            throw failures.opening(what, e, connected);
        }
    }

    private void prepare(Connection connection) throws SQLException {
        boolean done = false;
        boolean usable = true;
        try {
            prepareOnce(connection);
            done = true;
        } catch (SQLException e) {
            usable = isUsable(connection, e);
            throw e;
        } finally {
            if (!done) {
                release(connection, !usable);
            }
        }
    }

    private void prepareOnce(Connection connection) throws SQLException {
        try {
            // one at a time, because the sessions of two connections may find the tables in different schemas
            if (!preparing.tryLock(timeoutMillis, TimeUnit.MILLISECONDS)) {
                throw Opener.timeout("the tables are being prepared for more than " + timeoutMillis + " ms");
            }
        } catch (InterruptedException e) {
            throw Opener.interrupted(e);
        }
        try {
            if (!prepared) {
                prepareTables(connection);
            }
        } finally {
            preparing.unlock();
        }
    }

    private void prepareTables(Connection connection) throws SQLException {
        if (!connected) {
            dialect.requireOneWriter(connection);
            schema.locate(connection);
        }
        schema.prepare(connection);
        if (!connected) {
            begin(connection);
            connected = true;
        }
        prepared = true;
    }

    private void begin(Connection connection) throws SQLException {
        dialect.concern(connection).ifPresent(text -> LOG.warn("{}: {}", database.shown(), text));
        if (database.endsWithLastConnection() && anchored.compareAndSet(false, true)) {
            anchor();
        }
        if (database.application().isPresent()) {
            // a connection that comes late is used from now on, because another one would have to wait behind all
            // others
            opener.limit(BORROWING_MILLIS);
        }
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
            usable = isUsable(connection, e);
            throw failures.notApplied(what, e);
        } catch (StoreException e) {
            usable = !(e.getCause() instanceof SQLException cause) || isUsable(connection, cause);
            throw e;
        } catch (RuntimeException e) {
            usable = isValid(connection, VALID_SECONDS);
            throw e;
        } finally {
            release(connection, !usable);
        }
    }

    /**
     * Returns {@code false} if a failure says that the connection is bad. A connection that works is kept, whatever the database has
     * refused: another one may not be available. One that failed in a way that is not listed is asked.
     */
    private boolean isUsable(Connection connection, SQLException e) {
        if (dialect.verdict(e) == Verdict.NO_TABLE) {
            // the next request makes it again
            prepared = false;
        }
        return switch (dialect.codes().health(e)) {
            case GOOD -> true;
            case BAD -> false;
            case READ_ONLY -> !leavesServer();
            case UNKNOWN -> isValid(connection, VALID_SECONDS);
        };
    }

    /**
     * Leaves a server that has become read-only, because a pool would keep its connections for long. That happens only once in a
     * second, so that an application whose server stays read-only can work. Returns {@code false} if it was left before.
     */
    private boolean leavesServer() {
        long now = platform.nanoTime();
        long last = leftAt.get();
        boolean leaves = connected && now - last > LEAVING_NANOS && leftAt.compareAndSet(last, now);
        if (leaves) {
            pool.leaveServer();
        }
        return leaves;
    }

    static boolean isValid(Connection connection, int seconds) {
        try {
            return connection.isValid(seconds);
        } catch (SQLException | RuntimeException e) {
            LOG.debug("a connection is broken", e);
            return false;
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
            throw failures.opening(what, e, connected);
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

    void release(Connection connection, boolean broken) {
        pool.release(connection, broken);
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
