package io.holdfast.jdbc.connection;

import io.holdfast.jdbc.sql.Dialect;
import java.sql.Connection;
import java.sql.DriverManager;
import java.util.Optional;
import java.util.function.Supplier;
import javax.sql.DataSource;

/**
 * A database, and how a client connects to it.
 *
 * @param shown the URL for texts, without user and password
 * @param createsTables whether missing tables are created
 * @param driver opens a connection, which may take any time
 * @param explanation explains why a connection was not opened in time
 * @param application the pool from which connections are borrowed; empty if the client opens its own
 * @param endsWithLastConnection whether the database ends with its last connection, so that one more stays open
 */
public record Database(
        Dialect dialect,
        String shown,
        boolean createsTables,
        Opener.Attempt<Connection> driver,
        Supplier<String> explanation,
        Optional<ApplicationPool> application,
        boolean endsWithLastConnection) {

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
                Optional.empty(),
                endsWithLastConnection);
    }

    /**
     * Returns the database of a data source.
     *
     * @param commandMillis the command timeout of the client
     */
    public static Database of(
            Dialect dialect, DataSource source, String shown, boolean createsTables, long commandMillis) {
        ApplicationPool application = new ApplicationPool(source);
        return new Database(
                dialect,
                shown,
                createsTables,
                () -> BorrowedConnection.of(source.getConnection(), dialect, commandMillis),
                application::explanation,
                Optional.of(application),
                false);
    }
}
