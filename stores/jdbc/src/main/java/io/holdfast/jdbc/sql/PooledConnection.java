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
 * A connection to a connection pooler of PostgreSQL, which may execute each transaction in another session of the server. Another
 * application gets the session next, with all settings and prepared statements that are left in it. So each statement is executed in
 * a transaction of its own, whose settings end with it, and none is prepared at the server.
 *
 * <p>A statement is not limited by a cancel request: that ends the wait for a synchronous replica like a success, and may meet
 * the statement of another client of the pooler.
 */
final class PooledConnection implements InvocationHandler {

    private final Connection connection;
    private final String settings;

    private PooledConnection(Connection connection, String settings) {
        this.connection = connection;
        this.settings = settings;
    }

    /**
     * Returns a view of a connection.
     *
     * @param settings the statements that begin each transaction
     */
    static Connection of(Connection connection, String settings) {
        return (Connection) Proxy.newProxyInstance(
                PooledConnection.class.getClassLoader(),
                new Class<?>[] {Connection.class},
                new PooledConnection(connection, settings));
    }

    @Override
    public @Nullable Object invoke(Object proxy, Method method, @Nullable Object @Nullable [] arguments)
            throws Throwable {
        return switch (method.getName()) {
            case "equals" -> arguments != null && proxy == arguments[0];
            case "hashCode" -> System.identityHashCode(proxy);
            case "prepareStatement" -> statement((PreparedStatement) call(connection, method, arguments));
            // a pool would set it for the session
            case "getTransactionIsolation" -> Connection.TRANSACTION_READ_COMMITTED;
            case "setTransactionIsolation" -> null;
            default -> call(connection, method, arguments);
        };
    }

    private Object statement(@Nullable PreparedStatement statement) throws SQLException {
        if (statement == null) {
            throw new SQLException("the driver has prepared no statement");
        }
        statement.unwrap(PGStatement.class).setPrepareThreshold(0);
        // the commit would close the portal of a result that is fetched in parts
        statement.setFetchSize(0);
        return Proxy.newProxyInstance(
                PooledConnection.class.getClassLoader(),
                new Class<?>[] {PreparedStatement.class},
                (proxy, method, arguments) -> method.getName().startsWith("execute")
                        ? new PooledTransaction(connection, settings).run(() -> call(statement, method, arguments))
                        : call(statement, method, arguments));
    }

    private static @Nullable Object call(Object target, Method method, @Nullable Object @Nullable [] arguments)
            throws Throwable {
        try {
            return method.invoke(target, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause() == null ? e : e.getCause();
        }
    }
}
