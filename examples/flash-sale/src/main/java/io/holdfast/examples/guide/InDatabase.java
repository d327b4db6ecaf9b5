package io.holdfast.examples.guide;

import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.jdbc.JdbcFence;
import io.holdfast.jdbc.JdbcHoldfast;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import javax.sql.DataSource;

/** The code of docs/databases.md. */
final class InDatabase {

    private final DataSource dataSource;

    InDatabase(DataSource dataSource) {
        this.dataSource = dataSource;
    }

    void connect() {
        // region database-source
        Holdfast holdfast = JdbcHoldfast.connect(dataSource);
        // endregion
        holdfast.close();
    }

    void configure() {
        // region database-source-settings
        Holdfast holdfast = JdbcHoldfast.builder(dataSource)
                .uri("jdbc:datasource?tablePrefix=app.holdfast_")
                .lease(Duration.ofSeconds(20))
                .build();
        // endregion
        holdfast.close();
    }

    void guard(DistributedLock lock) throws SQLException, InterruptedException {
        // region database-guard
        JdbcFence fence = JdbcFence.of(dataSource); // once; creates the table holdfast_fence
        try (Lease lease = lock.acquire();
                Connection connection = dataSource.getConnection()) {
            connection.setAutoCommit(false);
            fence.guard(connection, "orders/42", lease.fencingToken()); // throws FencedOutException for an old token
            ship(connection, 42);
            connection.commit();
        }
        // endregion
    }

    void lock(JdbcFence fence) throws SQLException {
        // region database-lock
        try (Connection connection = dataSource.getConnection()) {
            connection.setAutoCommit(false);
            fence.lockUntilCommit(connection, "orders/42", Duration.ofSeconds(5));
            ship(connection, 42);
            connection.commit();
        }
        // endregion
    }

    private static void ship(Connection connection, long order) throws SQLException {
        try (PreparedStatement update =
                connection.prepareStatement("UPDATE orders SET state = 'shipped' WHERE id = ?")) {
            update.setLong(1, order);
            update.executeUpdate();
        }
    }
}
