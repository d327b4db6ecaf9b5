package io.holdfast.jdbc.connection;

import io.holdfast.jdbc.sql.Dialect;
import java.sql.Connection;
import java.sql.DriverManager;
import java.util.function.Supplier;
import javax.sql.DataSource;

/**
 * A database, and how a client connects to it.
 *
 * @param shown the URL for texts, without user and password
 * @param createsTables whether missing tables are created
 * @param driver opens a connection, which may take any time
 * @param explanation explains why a connection was not opened in time
 * @param lifetime how long its connections are kept
 */
public record Database(
        Dialect dialect,
        String shown,
        boolean createsTables,
        Opener.Attempt<Connection> driver,
        Supplier<String> explanation,
        Lifetime lifetime) {

    /** How long the connections of a client are kept. */
    public enum Lifetime {
        /** Until they break, or the client is closed. */
        CLIENT,
        /** As {@link #CLIENT}. One more stays open in addition, because the database ends with its last connection. */
        DATABASE,
        /** While they are used, because they are borrowed from the pool of the user. */
        USE
    }

    /** Returns the database of a URL. */
    public static Database at(
            Dialect dialect,
            String url,
            String shown,
            boolean createsTables,
            Supplier<String> explanation,
            boolean endsWithLastConnection) {
        return new Database(
                dialect,
                shown,
                createsTables,
                () -> DriverManager.getConnection(url),
                explanation,
                endsWithLastConnection ? Lifetime.DATABASE : Lifetime.CLIENT);
    }

    /**
     * Returns the database of a data source.
     *
     * @param commandMillis the command timeout of the client
     */
    public static Database of(
            Dialect dialect, DataSource source, String shown, boolean createsTables, long commandMillis) {
        return new Database(
                dialect,
                shown,
                createsTables,
                () -> BorrowedConnection.of(source.getConnection(), dialect, commandMillis),
                () -> POOL_MAY_BE_FULL,
                Lifetime.USE);
    }

    /** Explains why a data source has returned no connection in time. */
    public static final String POOL_MAY_BE_FULL = " from the DataSource; its pool may be full";
}
