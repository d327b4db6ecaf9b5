package io.holdfast.benchmarks.subject;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** A subject that keeps its locks in a table of a database. Where it has no way to wait, it asks again after a pause. */
abstract class TableSubject implements Subject {

    /** The pause of Spring Integration between two attempts. */
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private static final int CONNECTIONS = 16;

    final HikariDataSource database;

    TableSubject(String uri, String table) {
        database = open(uri, table);
    }

    /** Returns a pool of connections to a database, in which the statement has created a table. */
    static HikariDataSource open(String uri, String table) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(uri);
        config.setMaximumPoolSize(CONNECTIONS);
        HikariDataSource database = new HikariDataSource(config);
        try (Connection connection = database.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(table);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
        return database;
    }

    /** Returns the type of a column for a time with microseconds. */
    static String timestamp(String uri) {
        return uri.startsWith("jdbc:mysql") || uri.startsWith("jdbc:mariadb") ? "DATETIME(6)" : "TIMESTAMP";
    }

    static void pause() {
        LockSupport.parkNanos(PAUSE_NANOS);
    }

    @Override
    public void close() {
        database.close();
    }
}
