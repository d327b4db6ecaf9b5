package io.holdfast.jdbc;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;

/** Connections for tests, which do something of their own in place of some calls. */
public final class Views {

    private Views() {}

    /** A call of the connection that is viewed. */
    public interface Call {
        Object run() throws Throwable;
    }

    /** Answers a call, with what the connection returns or in its place. */
    public interface Answer {
        Object to(String method, Object[] arguments, Call real) throws Throwable;
    }

    /** A view of a connection, which is equal to itself alone. */
    public static Connection of(Connection connection, Answer answer) {
        return (Connection) Proxy.newProxyInstance(
                Views.class.getClassLoader(),
                new Class<?>[] {Connection.class},
                (proxy, method, arguments) -> switch (method.getName()) {
                    case "equals" -> proxy == arguments[0];
                    case "hashCode" -> System.identityHashCode(proxy);
                    default ->
                        answer.to(method.getName(), arguments, () -> {
                            try {
                                return method.invoke(connection, arguments);
                            } catch (InvocationTargetException e) {
                                throw e.getCause();
                            }
                        });
                });
    }
}
