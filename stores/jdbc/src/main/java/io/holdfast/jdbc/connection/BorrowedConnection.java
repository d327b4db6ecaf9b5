package io.holdfast.jdbc.connection;

import io.holdfast.jdbc.sql.Dialect;
import io.holdfast.jdbc.sql.Statements;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A connection of a user's data source. It is returned with the settings with which it was borrowed. From the beginning of its
 * return, it refuses all calls. If it is aborted, or the settings cannot be restored, the connection of the driver is ended before
 * it is returned, so that its pool discards it. H2 ignores an abort: there, the connection is returned after its statement has
 * ended. A connection that is handed over to its pool is not ended, because another user may have it.
 */
final class BorrowedConnection implements InvocationHandler {

    private static final Logger LOG = LoggerFactory.getLogger(BorrowedConnection.class);

    /** The SQLSTATE of a connection that does not exist. */
    private static final String CLOSED = "08003";

    private final Connection lent;
    private final Settings before;
    private final long limitMillis;
    private final AtomicBoolean returned = new AtomicBoolean();

    /** Held while the connection of the driver is ended. */
    private final ReentrantLock ending = new ReentrantLock();

    /** Set just before the pool gets the connection. Written under the lock. */
    private volatile boolean handedOver;

    /**
     * The settings of a connection that was borrowed.
     *
     * @param networkMillis the maximum wait for an answer
     * @param session the statements that restore the settings of the session
     */
    private record Settings(boolean autoCommit, boolean readOnly, int networkMillis, List<String> session) {

        /** Restores the settings. Each statement is limited, because the pool may have set a longer limit to close it. */
        void restore(Connection connection, long limitMillis) throws SQLException {
            limit(connection, limitMillis);
            if (!connection.getAutoCommit()) {
                connection.rollback();
                connection.setAutoCommit(true);
            }
            for (String each : session) {
                var unused = Statements.update(connection, each);
            }
            connection.setReadOnly(readOnly);
            connection.setAutoCommit(autoCommit);
            // of a driver that supports it
            if (limitMillis > 0) {
                connection.setNetworkTimeout(Runnable::run, networkMillis);
            }
        }
    }

    private BorrowedConnection(Connection lent, Settings before, long limitMillis) {
        this.lent = lent;
        this.before = before;
        this.limitMillis = limitMillis;
    }

    /**
     * Returns a view of a connection that has auto-commit, and may write.
     *
     * @param commandMillis the command timeout of the client
     * @throws SQLException if the connection cannot be prepared, in which case it is returned
     */
    static Connection of(Connection lent, Dialect dialect, long commandMillis) throws SQLException {
        boolean usable = false;
        try {
            Connection prepared = prepare(lent, dialect, dialect.networkMillis(commandMillis));
            usable = true;
            return prepared;
        } finally {
            if (!usable) {
                try (lent) {
                    end(lent);
                }
            }
        }
    }

    private static Connection prepare(Connection lent, Dialect dialect, long networkMillis) throws SQLException {
        int networkBefore = lent.getNetworkTimeout();
        // first, because even the other settings may be queries
        limit(lent, networkMillis);
        boolean autoCommit = lent.getAutoCommit();
        boolean readOnly = lent.isReadOnly();
        lent.setAutoCommit(true);
        lent.setReadOnly(false);
        Settings before = new Settings(autoCommit, readOnly, networkBefore, dialect.restoring(lent));
        return (Connection) Proxy.newProxyInstance(
                BorrowedConnection.class.getClassLoader(),
                new Class<?>[] {Connection.class},
                new BorrowedConnection(lent, before, networkMillis));
    }

    private static void limit(Connection connection, long millis) throws SQLException {
        if (millis > 0) {
            connection.setNetworkTimeout(Runnable::run, (int) millis);
        }
    }

    @Override
    public @Nullable Object invoke(Object proxy, Method method, @Nullable Object @Nullable [] arguments)
            throws Throwable {
        return switch (method.getName()) {
            case "close" -> {
                if (returned.compareAndSet(false, true)) {
                    giveBack();
                }
                yield null;
            }
            case "abort" -> {
                boolean first = returned.compareAndSet(false, true);
                // the restoring of its settings may hang
                endUnlessHandedOver();
                if (first) {
                    giveBack();
                }
                yield null;
            }
            // some pools report a connection as closed that was aborted and has yet to be returned
            case "isClosed" -> handedOver;
            case "equals" -> arguments != null && proxy == arguments[0];
            case "hashCode" -> System.identityHashCode(proxy);
            case "toString" -> "a connection of the DataSource";
            default -> delegate(method, arguments);
        };
    }

    private @Nullable Object delegate(Method method, @Nullable Object @Nullable [] arguments) throws Throwable {
        if (returned.get()) {
            throw new SQLException("the connection was returned to the DataSource", CLOSED);
        }
        try {
            return method.invoke(lent, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause() == null ? e : e.getCause();
        }
    }

    private void giveBack() throws SQLException {
        boolean restored = false;
        try {
            before.restore(lent, limitMillis);
            restored = true;
        } catch (SQLException e) {
            LOG.debug("a connection of the DataSource is broken; it is returned as such", e);
        } finally {
            handOver();
            try (lent) {
                if (!restored) {
                    end(lent);
                }
            }
        }
    }

    private void handOver() {
        ending.lock();
        try {
            handedOver = true;
        } finally {
            ending.unlock();
        }
    }

    private void endUnlessHandedOver() {
        ending.lock();
        try {
            if (!handedOver) {
                abort(lent);
            }
        } finally {
            ending.unlock();
        }
    }

    /** Ends a connection that nobody may use again. */
    private static void end(Connection lent) throws SQLException {
        abort(lent);
        // H2 ignores the abort
        lent.unwrap(Connection.class).close();
    }

    /**
     * Ends the connection of the driver, and not the view of the pool: one whose view was aborted may never count it as returned.
     */
    private static void abort(Connection lent) {
        try {
            lent.unwrap(Connection.class).abort(Runnable::run);
        } catch (SQLException | RuntimeException | AbstractMethodError e) {
            LOG.debug("a connection of the DataSource cannot be ended; it is returned when its statement has ended", e);
        }
    }
}
