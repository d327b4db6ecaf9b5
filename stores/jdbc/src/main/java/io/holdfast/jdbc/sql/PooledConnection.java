package io.holdfast.jdbc.sql;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGStatement;

/**
 * A connection to a connection pooler of PostgreSQL, which may execute each transaction on another session of the server. Another
 * application gets the session next, with all settings and prepared statements that are left on it. So this connection leaves none:
 * each statement has a time limit of its own, and none is prepared at the server.
 */
final class PooledConnection implements InvocationHandler {

    private final Connection connection;
    private final int limitSeconds;

    private PooledConnection(Connection connection, int limitSeconds) {
        this.connection = connection;
        this.limitSeconds = limitSeconds;
    }

    /**
     * Returns a view of a connection.
     *
     * @param limitSeconds the time after which a statement is canceled
     */
    static Connection of(Connection connection, int limitSeconds) {
        return (Connection) Proxy.newProxyInstance(
                PooledConnection.class.getClassLoader(),
                new Class<?>[] {Connection.class},
                new PooledConnection(connection, limitSeconds));
    }

    @Override
    public @Nullable Object invoke(Object proxy, Method method, @Nullable Object @Nullable [] arguments)
            throws Throwable {
        return switch (method.getName()) {
            case "equals" -> arguments != null && proxy == arguments[0];
            case "hashCode" -> System.identityHashCode(proxy);
            case "prepareStatement" -> limited((PreparedStatement) delegate(method, arguments));
            default -> delegate(method, arguments);
        };
    }

    private PreparedStatement limited(@Nullable PreparedStatement statement) throws SQLException {
        if (statement == null) {
            throw new SQLException("the driver has prepared no statement");
        }
        statement.setQueryTimeout(limitSeconds);
        statement.unwrap(PGStatement.class).setPrepareThreshold(0);
        return statement;
    }

    private @Nullable Object delegate(Method method, @Nullable Object @Nullable [] arguments) throws Throwable {
        try {
            return method.invoke(connection, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause() == null ? e : e.getCause();
        }
    }
}
