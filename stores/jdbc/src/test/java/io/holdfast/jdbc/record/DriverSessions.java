package io.holdfast.jdbc.record;

import io.holdfast.jdbc.sql.Dialect;
import io.holdfast.spi.StoreException;
import io.holdfast.spi.StoreException.Effect;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

/** Connections of the driver, without a pool's limits. */
final class DriverSessions implements Sessions {

    private final String url;
    private final Dialect dialect;
    private final BlockingQueue<Connection> idle = new LinkedBlockingQueue<>();
    private volatile boolean closed;

    DriverSessions(String url, Dialect dialect) {
        this.url = url;
        this.dialect = dialect;
    }

    /** Makes the tables. */
    DriverSessions prepared() {
        return run("prepare", connection -> {
            try (Statement statement = connection.createStatement()) {
                for (String sql : dialect.schema()) {
                    statement.execute(sql);
                }
            }
            return this;
        });
    }

    @Override
    public <T> T run(String what, Work<T> work) {
        try {
            Connection connection = borrow();
            T result = work.on(connection);
            idle.add(connection);
            return result;
        } catch (SQLException e) {
            throw new StoreException(Effect.NOT_APPLIED, what, e);
        }
    }

    private Connection borrow() throws SQLException {
        if (closed) {
            throw new SQLException("closed");
        }
        Connection connection = idle.poll();
        if (connection == null) {
            connection = DriverManager.getConnection(url);
            try (Statement statement = connection.createStatement()) {
                for (String sql : dialect.settings(500)) {
                    statement.execute(sql);
                }
            }
        }
        return connection;
    }

    @Override
    public <T> Optional<T> write(String what, Connection connection, Write<T> statement) {
        try {
            return Optional.of(statement.run());
        } catch (SQLException e) {
            return switch (dialect.verdict(e)) {
                case AGAIN -> Optional.empty();
                case UNKNOWN -> throw new StoreException(Effect.UNKNOWN, what, e);
                case REFUSED -> throw new StoreException(Effect.REFUSED, what, e);
                case LOCKED, NOT_APPLIED -> throw new StoreException(Effect.NOT_APPLIED, what, e);
            };
        }
    }

    @Override
    public StoreException rowLocked(String what) {
        return new StoreException(Effect.NOT_APPLIED, what);
    }

    @Override
    public String address() {
        return url.split("[?;]", 2)[0];
    }

    @Override
    public void close() {
        closed = true;
        for (Connection connection = idle.poll(); connection != null; connection = idle.poll()) {
            try {
                connection.close();
            } catch (SQLException e) {
                throw new AssertionError(e);
            }
        }
    }
}
