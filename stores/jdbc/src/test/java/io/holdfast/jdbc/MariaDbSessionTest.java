package io.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.Holdfast;
import io.holdfast.HoldfastException;
import io.holdfast.Lease;
import io.holdfast.testkit.Await;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Sessions that lose their time zone, as when a driver connects again by itself. */
@Timeout(180)
class MariaDbSessionTest {

    /** The server has started before a client waits for a connection. */
    private final String uri = Servers.mariaDb().uri();

    private final List<Connection> ofHolder = new CopyOnWriteArrayList<>();
    private final List<Connection> ofOther = new CopyOnWriteArrayList<>();

    private DataSource source(List<Connection> lent) {
        return Sources.of(() -> {
            Connection connection = DriverManager.getConnection(uri);
            lent.add(connection);
            return connection;
        });
    }

    /** Moves the clock of sessions by hours, so that each lease has ended by it. */
    private static void loseTimeZones(List<Connection> sessions) throws SQLException {
        for (Connection connection : sessions) {
            try {
                connection.createStatement().execute("SET time_zone = '+05:00'");
            } catch (SQLException e) {
                // race: the client may close it at any time
                if (!connection.isClosed()) {
                    throw e;
                }
            }
        }
    }

    private static boolean acquires(Holdfast client, String name) {
        try {
            return client.lock(name).tryLock();
        } catch (HoldfastException e) {
            return false;
        }
    }

    @Test
    void haveNoClockAndAreReplaced() throws Exception {
        Duration length = Duration.ofSeconds(15);
        try (Holdfast holder =
                        JdbcHoldfast.builder(source(ofHolder)).lease(length).build();
                Holdfast other = JdbcHoldfast.connect(source(ofOther));
                Lease lease = holder.lock("zone").acquire()) {
            for (int i = 0; i < 2; i++) {
                long renewals = holder.stats().renewals();
                // race: a session that is opened for a renewal keeps its time zone until the renewal has succeeded
                loseTimeZones(ofHolder);
                while (holder.stats().renewals() == renewals) {
                    loseTimeZones(ofOther);
                    assertThat(acquires(other, "zone")).as("a second holder").isFalse();
                    Thread.sleep(200);
                }
            }
            assertThat(lease.isValid())
                    .as("it was renewed by other connections")
                    .isTrue();
            Await.until("another can be acquired", () -> acquires(other, "another"));
        }
    }
}
