package io.holdfast.jdbc;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.SQLException;
import javax.sql.DataSource;

/** Data sources for tests. */
final class Sources {

    private Sources() {}

    interface Borrowing {
        Connection get() throws SQLException;
    }

    interface Action {
        void run() throws SQLException;
    }

    /** Decides whether the call of a method is passed on. */
    private interface Passing {
        boolean of(String method) throws SQLException;
    }

    private interface Answer {
        Object to(String method, Object[] arguments) throws Exception;
    }

    static DataSource of(Borrowing borrowing) {
        return proxy(DataSource.class, (method, arguments) -> switch (method) {
            case "getConnection" -> borrowing.get();
            // a pool asks for it when it is closed
            case "getLoginTimeout" -> 1;
            default -> throw new UnsupportedOperationException(method);
        });
    }

    /** A data source that tells which one it wraps. */
    static DataSource wrapping(DataSource wrapped, Borrowing borrowing) {
        return proxy(DataSource.class, (method, arguments) -> switch (method) {
            case "getConnection" -> borrowing.get();
            case "isWrapperFor" -> wrapped.isWrapperFor((Class<?>) arguments[0]);
            case "unwrap" -> wrapped.unwrap((Class<?>) arguments[0]);
            default -> throw new UnsupportedOperationException(method);
        });
    }

    /** A data source of another product. */
    static DataSource ofProduct(String product, String url) {
        DatabaseMetaData data =
                proxy(DatabaseMetaData.class, (method, arguments) -> method.equals("getURL") ? url : product);
        return of(() -> proxy(Connection.class, (method, arguments) -> method.equals("getMetaData") ? data : null));
    }

    /** A view of a connection that does not close it. */
    static Connection unclosed(Connection connection) {
        return view(connection, method -> !method.equals("close"));
    }

    /** A view of a connection that does something before each statement is prepared. */
    static Connection beforeEachStatement(Connection connection, Action action) {
        return view(connection, method -> {
            if (method.equals("prepareStatement")) {
                action.run();
            }
            return true;
        });
    }

    private static Connection view(Connection connection, Passing passing) {
        return (Connection) Proxy.newProxyInstance(
                Sources.class.getClassLoader(), new Class<?>[] {Connection.class}, (proxy, method, arguments) -> {
                    try {
                        return passing.of(method.getName()) ? method.invoke(connection, arguments) : null;
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    private static <T> T proxy(Class<T> kind, Answer answer) {
        return kind.cast(Proxy.newProxyInstance(
                Sources.class.getClassLoader(),
                new Class<?>[] {kind},
                (proxy, method, arguments) -> answer.to(method.getName(), arguments)));
    }
}
