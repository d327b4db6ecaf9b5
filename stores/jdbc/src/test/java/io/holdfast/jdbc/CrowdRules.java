package io.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.testkit.crowd.Crowd;
import io.holdfast.testkit.crowd.FaultRounds;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Faults of a server, as {@link FaultRounds} injects them. */
@Timeout(3_600)
abstract class CrowdRules {

    private static final Duration LEASE = Duration.ofSeconds(3);
    private static final Duration RECOVERY = Duration.ofSeconds(30);

    private enum Fault {
        /** The server is killed, and started again. */
        SERVER_KILLED,
        /** All processes of the server are stopped for longer than a lease. */
        SERVER_STOPPED,
        /** The server ends the connections of the clients. */
        CONNECTIONS_ENDED,
        /** A process that holds a lock is killed. */
        CLIENT_KILLED,
        /** Another transaction keeps the row of a lock. */
        ROW_LOCKED
    }

    abstract DatabaseServer start(Path folder) throws IOException, InterruptedException;

    @Test
    void noPromiseIsBroken(@TempDir Path folder) throws Exception {
        try (DatabaseServer server = start(folder)) {
            server.database().close();
            new FaultRounds(getClass().getSimpleName(), server.uri(), LEASE, RECOVERY)
                    .run(Fault.class, (fault, crowd) -> inject(fault, server, crowd));
        }
    }

    private static void inject(Fault fault, DatabaseServer server, Crowd crowd) throws Exception {
        switch (fault) {
            case SERVER_KILLED -> {
                server.kill();
                crowd.work(FaultRounds.WORK);
                server.restart();
            }
            case SERVER_STOPPED -> {
                server.pause();
                crowd.work(LEASE.plusSeconds(1));
                server.resume();
            }
            case CONNECTIONS_ENDED -> endConnections(server);
            case CLIENT_KILLED -> crowd.killOne();
            case ROW_LOCKED -> lockRow(server.uri(), () -> crowd.work(Duration.ofMillis(1_500)));
        }
    }

    private static void endConnections(DatabaseServer server) throws SQLException {
        try (Databases admin = Databases.at(server.uri(), "")) {
            List<Object> statements = admin.column(server.endings());
            assertThat(statements).hasSizeGreaterThanOrEqualTo(FaultRounds.PROCESSES);
            for (Object statement : statements) {
                end(admin.connection, statement.toString());
            }
        }
    }

    /** Ends a connection, unless it has ended by itself. */
    private static void end(Connection connection, String statement) {
        try {
            connection.createStatement().execute(statement);
        } catch (SQLException e) {
            assertThat(e.getMessage()).contains("Unknown thread");
        }
    }

    private static void lockRow(String uri, Runnable meanwhile) throws SQLException {
        try (Connection transaction = DriverManager.getConnection(uri)) {
            transaction.setAutoCommit(false);
            PreparedStatement statement =
                    transaction.prepareStatement("SELECT version FROM holdfast_locks WHERE name = ? FOR UPDATE");
            statement.setBytes(1, "Ln-lock".getBytes(StandardCharsets.UTF_8));
            assertThat(statement.executeQuery().next()).isTrue();
            meanwhile.run();
            transaction.rollback();
        }
    }
}
