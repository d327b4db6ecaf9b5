package io.holdfast.jdbc;

import io.holdfast.jdbc.connection.ApplicationPool;
import io.holdfast.jdbc.connection.Opener;
import io.holdfast.jdbc.record.Sessions;
import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;

/**
 * Work on a connection of a data source, on a thread of its own. To the thread of the caller, a data source may return the
 * connection of the caller's transaction.
 */
final class OwnThread {

    private OwnThread() {}

    /** A connection with auto-commit, which then has the setting again with which it was borrowed. */
    private record AutoCommit(Connection connection, boolean before) implements AutoCloseable {

        static AutoCommit on(Connection connection) throws SQLException {
            boolean before = connection.getAutoCommit();
            connection.setAutoCommit(true);
            return new AutoCommit(connection, before);
        }

        @Override
        public void close() throws SQLException {
            connection.setAutoCommit(before);
        }
    }

    /**
     * Does work on a connection with auto-commit. Work that takes longer than its limit goes on, and its result is ignored.
     *
     * @throws SQLException if the work throws it, or any other exception, or if the time is up
     */
    static <T> T run(DataSource source, int seconds, Sessions.Work<T> work) throws SQLException {
        try (Opener opener = new Opener(
                Opener.daemons("holdfast-fence"), seconds * 1_000L, new ApplicationPool(source)::explanation)) {
            return opener.call(() -> borrow(source, work), late -> {});
        }
    }

    private static <T> T borrow(DataSource source, Sessions.Work<T> work) throws SQLException {
        try (Connection lent = source.getConnection();
                AutoCommit own = AutoCommit.on(lent)) {
            return work.on(own.connection());
        }
    }
}
