package io.holdfast.jdbc;

import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.SQLException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Predicate;
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
        boolean of(String method, Object[] arguments) throws Exception;
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
        return view(connection, (method, arguments) -> !method.equals("close"));
    }

    /** A view of a connection that does something before each statement is prepared. */
    static Connection beforeEachStatement(Connection connection, Action action) {
        return view(connection, (method, arguments) -> {
            if (method.equals("prepareStatement")) {
                action.run();
            }
            return true;
        });
    }

    /**
     * A view of a connection that holds the statements of a kind before they are prepared, for half a second, or until the connection
     * is closed.
     *
     * @param closed counted down if the connection is closed while a statement is held
     */
    static Connection held(Connection connection, Predicate<String> kind, CountDownLatch closed) {
        AtomicBoolean inUse = new AtomicBoolean();
        return view(connection, (method, arguments) -> {
            if (method.equals("prepareStatement") && kind.test((String) arguments[0])) {
                inUse.set(true);
                var unused = closed.await(500, TimeUnit.MILLISECONDS);
                inUse.set(false);
            } else if (method.equals("close") && inUse.get()) {
                closed.countDown();
            }
            return true;
        });
    }

    private static Connection view(Connection connection, Passing passing) {
        return Views.of(connection, (method, arguments, real) -> passing.of(method, arguments) ? real.run() : null);
    }

    private static <T> T proxy(Class<T> kind, Answer answer) {
        return kind.cast(Proxy.newProxyInstance(
                Sources.class.getClassLoader(),
                new Class<?>[] {kind},
                (proxy, method, arguments) -> answer.to(method.getName(), arguments)));
    }
}
