package io.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.Holdfast;
import io.holdfast.testkit.Await;
import io.holdfast.testkit.crowd.Crowd;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Faults of a server while the threads of two processes contend: in random order, as often as {@code holdfast.outages} says. The
 * seed is printed; {@code holdfast.seed} sets it.
 */
@Timeout(3_600)
abstract class CrowdRules {

    private static final Duration LEASE = Duration.ofSeconds(3);
    private static final Duration WORK = Duration.ofMillis(700);
    private static final Duration RECOVERY = LEASE.plusSeconds(6);
    private static final int PROCESSES = 2;
    private static final int THREADS = 4;
    private static final int MIN_GRANTS = 200;
    private static final int MIN_WAITS = 50;
    private static final int ROUNDS = Integer.getInteger("holdfast.outages", 1);
    private static final long SEED = Long.getLong("holdfast.seed", System.nanoTime());

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
            Map<Fault, Integer> injected = new EnumMap<>(Fault.class);
            try (Crowd crowd = Crowd.start(server.uri(), LEASE, PROCESSES, THREADS)) {
                for (Fault fault : faults()) {
                    crowd.work(WORK);
                    System.out.println(fault);
                    inject(fault, server, crowd);
                    long ended = System.nanoTime();
                    crowd.awaitAllServed(RECOVERY);
                    System.out.printf(
                            "%s: all are served %d ms after it%n", fault, (System.nanoTime() - ended) / 1_000_000);
                    injected.merge(fault, 1, Integer::sum);
                }
                crowd.work(WORK);
                Crowd.Outcome outcome = crowd.end();
                System.out.println(getClass().getSimpleName() + ": seed " + SEED + ", " + outcome + ", " + injected);
                assertThat(outcome.grants()).isGreaterThan(MIN_GRANTS * ROUNDS);
                assertThat(outcome.waits()).isGreaterThan(MIN_WAITS * ROUNDS);
                assertThat(outcome.losses())
                        .as("losses while the server is stopped")
                        .isPositive();
            }
            assertThat(injected).hasSize(Fault.values().length);
            assertNothingIsLeft(server.uri());
        }
    }

    private static List<Fault> faults() {
        List<Fault> faults = new ArrayList<>();
        Random random = new Random(SEED);
        for (int i = 0; i < ROUNDS; i++) {
            List<Fault> round = Arrays.asList(Fault.values());
            Collections.shuffle(round, random);
            faults.addAll(round);
        }
        return faults;
    }

    private static void inject(Fault fault, DatabaseServer server, Crowd crowd) throws Exception {
        switch (fault) {
            case SERVER_KILLED -> {
                server.kill();
                crowd.work(WORK);
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
            assertThat(statements).hasSizeGreaterThanOrEqualTo(PROCESSES);
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

    /** What a process held that was killed is free when its lease has ended. */
    private static void assertNothingIsLeft(String uri) {
        try (Holdfast client = Holdfast.connect(uri)) {
            Await.until("no name is held or awaited", () -> client.list("").isEmpty());
        }
    }
}
