package io.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.Holdfast;
import io.holdfast.HoldfastException;
import io.holdfast.spi.StoreException;
import io.holdfast.testkit.Await;
import io.holdfast.testkit.StoreClient;
import io.holdfast.testkit.faults.Wire;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Tables that somebody drops while clients run. */
@Timeout(180)
class DroppedTableTest {

    private static final String PREFIX = "dropped_";
    private static final int DROPS = 4;
    private static final int TRIES = 3;

    /** Less than one for each of two clients and each drop. A pool may open one for a caller who waits. */
    private static final int FEW = 3;

    static Stream<Databases> databases() {
        return Stream.of(
                Databases.at("jdbc:h2:mem:dropped;DB_CLOSE_DELAY=-1", ""),
                Databases.at(Servers.postgreSql().uri(), ""),
                Databases.at(Servers.mariaDb().uri(), ""));
    }

    private static String url(Databases database, String... settings) {
        String separator = database.url().startsWith("jdbc:h2:") ? ";" : "&";
        return database.url() + separator + "tablePrefix=" + PREFIX
                + (settings.length == 0 ? "" : separator + String.join(separator, settings));
    }

    private static void drop(Databases database) {
        database.run("DROP TABLE " + PREFIX + "locks");
        database.run("DROP TABLE " + PREFIX + "clients");
    }

    @ParameterizedTest
    @MethodSource("databases")
    void areMadeAgain(Databases database) throws SQLException {
        try (database;
                Holdfast holdfast = Holdfast.connect(url(database))) {
            holdfast.lock("held").lock();
            long token = holdfast.lock("held").fencingToken();
            drop(database);
            Await.until("another is acquired", () -> holdfast.lock("another").tryLock());
            try (Holdfast next = Holdfast.connect(url(database))) {
                Await.until("the next has it", () -> next.lock("held").tryLock());
                assertThat(next.lock("held").fencingToken()).isGreaterThan(token);
            }
            drop(database);
        }
    }

    private static boolean acquires(Holdfast client, String name) {
        try {
            return client.lock(name).tryLock();
        } catch (HoldfastException e) {
            return false;
        }
    }

    static Stream<DatabaseServer> servers() {
        return Stream.of(Servers.postgreSql(), Servers.mariaDb());
    }

    /** A request that finds no table leaves its connection as it is. */
    @Tag("ci")
    @ParameterizedTest(autoCloseArguments = false)
    @MethodSource("servers")
    void costNoConnections(DatabaseServer server) throws SQLException {
        try (Wire wire = new Wire(server.port());
                Databases database = Databases.at(server.uri(), "");
                Databases path = Databases.at(server.uri(wire.port()), "");
                Holdfast maker = Holdfast.connect(url(path));
                Holdfast other = Holdfast.connect(url(path, "createTables=false"))) {
            assertThat(acquires(maker, "first")).isTrue();
            assertThat(acquires(other, "second")).isTrue();
            int before = wire.connections();
            for (int i = 0; i < DROPS; i++) {
                String name = "costs" + i;
                drop(database);
                for (int j = 0; j < TRIES; j++) {
                    var unused = acquires(other, name);
                }
                Await.until("it is acquired", () -> acquires(maker, name));
                Await.until("another is acquired", () -> acquires(other, "other " + name));
            }
            assertThat(wire.connections() - before).as("further connections").isLessThanOrEqualTo(FEW);
            drop(database);
        }
    }

    @Tag("ci")
    @ParameterizedTest
    @MethodSource("databases")
    void areMadeAgainForOneWhoWaits(Databases database) throws Exception {
        try (database;
                Holdfast holder = Holdfast.connect(url(database));
                Holdfast waiter = Holdfast.connect(url(database))) {
            holder.lock("awaited").lock();
            CompletableFuture<Boolean> waiting = CompletableFuture.supplyAsync(() -> {
                try {
                    return waiter.lock("awaited").tryLock(Duration.ofSeconds(40));
                } catch (InterruptedException e) {
                    throw new AssertionError(e);
                }
            });
            Await.until("it waits", () -> !holder.inspect("awaited").waiters().isEmpty());
            drop(database);
            assertThat(waiting.get(50, TimeUnit.SECONDS)).isTrue();
            drop(database);
        }
    }

    @Tag("ci")
    @ParameterizedTest
    @MethodSource("databases")
    void areNotMadeIfThatIsForbidden(Databases database) throws SQLException {
        Databases.client(url(database)).close();
        try (database;
                StoreClient client = Databases.client(url(database, "createTables=false"))) {
            client.granted("lock", 1);
            drop(database);
            for (int i = 0; i < 5; i++) {
                assertThatThrownBy(() -> client.renew("lock", 1)).isInstanceOf(StoreException.class);
            }
            assertThatThrownBy(() -> client.granted("other", 2))
                    .hasMessageContaining("does not exist, and the URL forbids to create it");
            Databases.client(url(database)).close();
            client.granted("other", 2);
            drop(database);
        }
    }
}
