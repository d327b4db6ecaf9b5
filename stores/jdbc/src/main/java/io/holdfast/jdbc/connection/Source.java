package io.holdfast.jdbc.connection;

import io.holdfast.jdbc.sql.Dialect;
import java.io.PrintWriter;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicReference;
import java.util.logging.Logger;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

/**
 * A data source that connects within a time limit. It does not expose its URL, and changes no setting of the JVM.
 *
 * <p>It remembers the open connections, because a closed pool leaves two kinds of them open. One has a statement under way,
 * because H2 ignores {@link Connection#abort}. The other was being set up by the pool. Either keeps the file open in this
 * process.
 */
final class Source implements DataSource {

    private static final org.slf4j.Logger LOG = LoggerFactory.getLogger(Source.class);

    private final Opener.Attempt<Connection> driver;
    private final Dialect dialect;
    private final int commandMillis;
    private final Opener opener;
    private final Set<Connection> opened = ConcurrentHashMap.newKeySet();
    /** A connection that was opened in advance, until it is taken. */
    private final AtomicReference<@Nullable Connection> ready = new AtomicReference<>();

    private volatile boolean closed;

    /**
     * Creates a data source.
     *
     * @param commandMillis the command timeout of the client
     */
    Source(Opener.Attempt<Connection> driver, Dialect dialect, long commandMillis, Opener opener) {
        this.driver = driver;
        this.dialect = dialect;
        this.commandMillis = (int) Math.min(Integer.MAX_VALUE, commandMillis);
        this.opener = opener;
    }

    /** Opens the connection that {@link #getConnection} returns first. */
    void openReady() throws SQLException {
        ready.set(opener.open(this::connect));
    }

    /** Connects to a database that keeps what it commits. */
    @Override
    public Connection getConnection() throws SQLException {
        Connection first = ready.getAndSet(null);
        return first == null ? opener.open(this::connect) : first;
    }

    private Connection connect() throws SQLException {
        opened.removeIf(Source::isClosed);
        Connection connection = connectDriver();
        boolean usable = false;
        try {
            long limit = dialect.networkMillis(commandMillis);
            if (limit > 0) {
                connection.setNetworkTimeout(Runnable::run, (int) limit);
            }
            dialect.requireSafe(connection);
            Connection configured = dialect.configured(connection, commandMillis);
            if (dialect.commits()) {
                configured.setAutoCommit(false);
            }
            opened.add(configured);
            // close race: the flag is read after the connection is registered. So either this thread sees the close, or
            // the close sees the connection
            if (closed) {
                throw Opener.closedError();
            }
            usable = true;
            return configured;
        } finally {
            if (!usable) {
                connection.close();
            }
        }
    }

    private Connection connectDriver() throws SQLException {
        try {
            return driver.run();
        } catch (SQLException e) {
            throw dialect.explained(e);
        }
    }

    /**
     * Returns {@code true} if the connection is closed. While a connection of H2 reconnects by itself, it also appears closed.
     * This happens only before its pool has set it up.
     */
    private static boolean isClosed(Connection connection) {
        try {
            return connection.isClosed();
        } catch (SQLException e) {
            return false;
        }
    }

    /**
     * Ends every connection that is still open, and opens no further one. An application gets none of them back for use, because a
     * thread may be using it. Each is ended on a thread of its own, because H2 waits for its statement to end.
     */
    CompletableFuture<Void> closeConnections(Executor threads) {
        closed = true;
        return CompletableFuture.allOf(opened.stream()
                .filter(connection -> !isClosed(connection))
                .map(connection -> CompletableFuture.runAsync(() -> end(connection), threads))
                .toArray(CompletableFuture[]::new));
    }

    private static void end(Connection connection) {
        // closed, too: H2 ignores the abort
        try (connection) {
            connection.abort(Runnable::run);
        } catch (SQLException e) {
            LOG.debug("a connection was not ended", e);
        }
    }

    @Override
    public Connection getConnection(String user, String password) throws SQLException {
        throw new SQLFeatureNotSupportedException();
    }

    /** Does nothing, because the time limit of the drivers is shared by the whole JVM. */
    @Override
    public void setLoginTimeout(int seconds) {}

    /** Returns the time for which a pool that is closed waits for a connection that is being opened. */
    @Override
    public int getLoginTimeout() {
        return 1;
    }

    @Override
    public PrintWriter getLogWriter() throws SQLException {
        throw new SQLFeatureNotSupportedException();
    }

    @Override
    public void setLogWriter(PrintWriter out) throws SQLException {
        throw new SQLFeatureNotSupportedException();
    }

    @Override
    public Logger getParentLogger() throws SQLFeatureNotSupportedException {
        throw new SQLFeatureNotSupportedException();
    }

    @Override
    public <T> T unwrap(Class<T> kind) throws SQLException {
        throw new SQLFeatureNotSupportedException();
    }

    @Override
    public boolean isWrapperFor(Class<?> kind) {
        return false;
    }

    /** Returns a text without the URL. */
    @Override
    public String toString() {
        return "a database";
    }
}
