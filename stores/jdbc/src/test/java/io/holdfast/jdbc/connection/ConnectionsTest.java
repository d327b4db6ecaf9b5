package io.holdfast.jdbc.connection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.LockReport;
import io.holdfast.jdbc.connection.Database.Lifetime;
import io.holdfast.jdbc.sql.H2;
import io.holdfast.jdbc.sql.Tables;
import io.holdfast.spi.Platform;
import io.holdfast.spi.StoreConfig;
import io.holdfast.spi.StoreException;
import io.holdfast.spi.StoreException.Effect;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLTransientConnectionException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A pool over a data source that has no connection left. */
class ConnectionsTest {

    private static final Duration COMMAND = Duration.ofSeconds(1);

    private final AtomicBoolean full = new AtomicBoolean();
    private final Connections connections = new Connections(
            StoreConfig.of("jdbc:datasource", LockReport.Client.unknown("c"), Platform.system())
                    .withTimeouts(COMMAND, COMMAND),
            new Database(new H2(Tables.DEFAULT), "a database", true, this::connection, () -> "", Lifetime.USE));

    private Connection connection() throws SQLTransientConnectionException {
        if (full.get()) {
            throw new SQLTransientConnectionException("all 10 are in use");
        }
        try {
            return DriverManager.getConnection("jdbc:h2:mem:");
        } catch (java.sql.SQLException e) {
            throw new AssertionError(e);
        }
    }

    @AfterEach
    void close() {
        connections.close();
    }

    /** Before the engine gives the request up, which would then count as one that may have been applied. */
    @Test
    void failsInTimeWithTheReasonAsNotApplied() {
        connections.connect();
        long start = System.nanoTime();
        assertThatThrownBy(() -> connections.run("outer", held -> {
                    full.set(true);
                    return connections.run("acquire 'x'", another -> true);
                }))
                .isInstanceOfSatisfying(
                        StoreException.class, e -> assertThat(e.effect()).isEqualTo(Effect.NOT_APPLIED))
                .hasMessage("H2 at a database: acquire 'x': all 10 are in use");
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(COMMAND);
    }
}
