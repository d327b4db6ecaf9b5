package io.holdfast.jdbc.connection;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.holdfast.jdbc.sql.Dialect;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Properties;
import java.util.concurrent.ThreadFactory;

/** The pool of connections that a client has opened itself. It keeps them until they break, or are idle for ten minutes. */
final class OwnedPool implements ConnectionPool {

    /** It exceeds the number of calling threads, so that stuck callers leave a connection for renewals. */
    private static final int SIZE = 12;

    /** The shortest that HikariCP takes. */
    private static final long LEAST_VALIDATION_MILLIS = 250;

    private final HikariDataSource pool;

    OwnedPool(String name, Source source, Dialect dialect, ThreadFactory threads, long timeoutMillis) {
        // passes properties explicitly, because Hikari would otherwise read a properties file of the user
        HikariConfig options = new HikariConfig(new Properties());
        options.setPoolName(name);
        options.setDataSource(source);
        options.setThreadFactory(threads);
        options.setAutoCommit(!dialect.commits());
        // as the dialect sets it: HikariCP would take it from the first connection, which another thread may see half
        // done (race)
        options.setTransactionIsolation("TRANSACTION_READ_COMMITTED");
        options.setMaximumPoolSize(SIZE);
        // otherwise each client would hold one more connection than it uses
        options.setMinimumIdle(0);
        options.setMaxLifetime(0);
        options.setInitializationFailTimeout(-1);
        options.setConnectionTimeout(timeoutMillis);
        // a server that is far away answers late, and a new connection would take several round trips
        options.setValidationTimeout(Math.max(LEAST_VALIDATION_MILLIS, timeoutMillis / 2));
        pool = new HikariDataSource(options);
    }

    @Override
    public Connection get() throws SQLException {
        return pool.getConnection();
    }

    @Override
    public void release(Connection connection, boolean broken) {
        if (broken) {
            pool.evictConnection(connection);
        }
        try {
            // ends a transaction that has only read
            connection.close();
        } catch (SQLException e) {
            pool.evictConnection(connection);
        }
    }

    @Override
    public void leaveServer() {
        pool.getHikariPoolMXBean().softEvictConnections();
    }

    @Override
    public int callers() {
        return SIZE;
    }

    @Override
    public void close() {
        pool.close();
    }
}
