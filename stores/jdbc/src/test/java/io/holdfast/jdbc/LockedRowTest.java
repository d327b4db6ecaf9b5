package io.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.StoreUnavailableException;
import io.holdfast.spi.Acquire;
import io.holdfast.spi.Renew;
import io.holdfast.spi.Share;
import io.holdfast.testkit.Await;
import io.holdfast.testkit.StoreClient;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A transaction of somebody else that keeps rows, and renewals of leases that are too short to wait for it. */
@Timeout(180)
class LockedRowTest {

    /** It outlasts the wait for one row, but not the waits for several rows one after the other. */
    private static final Duration BRIEF_LEASE = Duration.ofSeconds(5);

    /** A statement waits for a row for no shorter time. */
    private static final Duration SHORTEST_WAIT = Duration.ofMillis(500);

    static Stream<DatabaseServer> servers() {
        return Stream.of(Servers.postgreSql(), Servers.mariaDb());
    }

    /** The servers are those of all tests, so JUnit must not close them. */
    @Tag("ci")
    @ParameterizedTest(autoCloseArguments = false)
    @MethodSource("servers")
    void delaysNoOtherRenewal(DatabaseServer server) throws SQLException {
        try (StoreClient client = Databases.client(server.uri() + "&tablePrefix=lockedrow_");
                Databases foreign = Databases.at(server.uri(), "")) {
            List<Renew> batch = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                client.granted("lock" + i, i);
                batch.add(renewal(client, "lock" + i, i, Share.Mode.LOCK));
                Acquire reading = client.request("read" + i, 10 + i).withShare(Share.READ);
                assertThat(client.acquire(reading)).isInstanceOf(Acquire.Granted.class);
                batch.add(renewal(client, "read" + i, 10 + i, Share.Mode.READ));
            }
            foreign.connection.setAutoCommit(false);
            assertThat(foreign.column(
                            "SELECT version FROM lockedrow_locks WHERE name IN ('Llock0', 'Lread0') FOR UPDATE"))
                    .hasSize(2);
            List<Renew.Reply> replies = new ArrayList<>();
            Await.until("it is answered without a wait for a row", () -> {
                long sent = System.nanoTime();
                replies.clear();
                replies.addAll(client.renew(batch));
                return System.nanoTime() - sent < SHORTEST_WAIT.toNanos();
            });
            assertThat(replies.subList(0, 2)).allMatch(Renew.Failed.class::isInstance);
            assertThat(replies.subList(2, 8)).allMatch(Renew.Renewed.class::isInstance);
            foreign.connection.rollback();
            Await.until(
                    "all are renewed", () -> client.renew(batch).stream().allMatch(Renew.Renewed.class::isInstance));
        }
    }

    @ParameterizedTest(autoCloseArguments = false)
    @MethodSource("servers")
    void isNotAwaitedAlone(DatabaseServer server) throws SQLException {
        assertNotAwaitedAlone(server);
    }

    @Tag("mysql")
    @Test
    void isNotAwaitedAloneByMySql() throws SQLException {
        assertNotAwaitedAlone(Servers.mySql());
    }

    private static void assertNotAwaitedAlone(DatabaseServer server) throws SQLException {
        try (StoreClient client = Databases.client(server.uri() + "&tablePrefix=alonerow_");
                Databases foreign = Databases.at(server.uri(), "")) {
            client.granted("lock", 1);
            List<Renew> alone = List.of(renewal(client, "lock", 1, Share.Mode.LOCK));
            assertThat(client.renew(alone)).allMatch(Renew.Renewed.class::isInstance);
            foreign.connection.setAutoCommit(false);
            assertThat(foreign.column("SELECT version FROM alonerow_locks WHERE name = 'Llock' FOR UPDATE"))
                    .hasSize(1);
            Await.until("it fails without a wait for the row", () -> {
                long sent = System.nanoTime();
                assertThatThrownBy(() -> client.renew(alone)).hasMessageContaining("locked by another transaction");
                return System.nanoTime() - sent < SHORTEST_WAIT.toNanos();
            });
            foreign.connection.rollback();
        }
    }

    /** A crowd that writes the row, one client after the other, lets none of its writers wait for long. */
    @Test
    void isAwaitedIfTheLeaseLastsLongEnough() throws Exception {
        DatabaseServer server = Servers.postgreSql();
        try (StoreClient client = Databases.client(server.uri() + "&tablePrefix=longrow_");
                Databases foreign = Databases.at(server.uri(), "");
                Databases observer = foreign.again()) {
            client.granted("lock", 1);
            List<Renew> alone = List.of(new Renew("lock", client.tenure(1), BRIEF_LEASE.multipliedBy(2), 0));
            foreign.connection.setAutoCommit(false);
            Await.until("the renewal that waits for the row gets it", () -> {
                foreign.column("SELECT version FROM longrow_locks WHERE name = 'Llock' FOR UPDATE");
                CompletableFuture<List<Renew.Reply>> renewed = CompletableFuture.supplyAsync(() -> client.renew(alone));
                Await.until("it waits, or has failed", () -> renewed.isDone() || waits(observer));
                foreign.run("ROLLBACK");
                return Await.reply(renewed.handle((replies, failure) ->
                        failure == null && replies.stream().allMatch(Renew.Renewed.class::isInstance)));
            });
        }
    }

    private static boolean waits(Databases observer) {
        return !observer.column("SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
                        + " AND query LIKE 'UPDATE%longrow_locks%v.lease%'")
                .isEmpty();
    }

    @Test
    void isNotAwaitedAgainIfASecondOneIsLocked() throws SQLException {
        DatabaseServer server = Servers.postgreSql();
        try (StoreClient client = Databases.client(server.uri() + "&tablePrefix=tworows_");
                Databases foreign = Databases.at(server.uri(), "")) {
            List<Renew> batch = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                Acquire reading = client.request("read" + i, i).withShare(Share.READ);
                assertThat(client.acquire(reading)).isInstanceOf(Acquire.Granted.class);
                batch.add(new Renew("read" + i, client.tenure(i), Share.Mode.READ, StoreClient.LEASE, 0));
            }
            foreign.connection.setAutoCommit(false);
            assertThat(foreign.column(
                            "SELECT version FROM tworows_locks WHERE name IN ('Lread0', 'Lread1') FOR UPDATE"))
                    .hasSize(2);
            Await.until("it is answered without a wait for a row", () -> {
                long sent = System.nanoTime();
                List<Renew.Reply> replies = client.renew(batch);
                assertThat(replies.subList(0, 2)).allMatch(Renew.Failed.class::isInstance);
                assertThat(replies.subList(2, 4)).allMatch(Renew.Renewed.class::isInstance);
                return System.nanoTime() - sent < SHORTEST_WAIT.toNanos();
            });
            foreign.connection.rollback();
        }
    }

    /** One of the crowd has always locked the row, and the others wait for it. They heed a reservation, as clients do. */
    @Test
    void isReservedInAHurryIfACrowdWritesIt() throws Exception {
        DatabaseServer server = Servers.postgreSql();
        AtomicBoolean over = new AtomicBoolean();
        List<CompletableFuture<Void>> crowd = new ArrayList<>();
        try (StoreClient client = Databases.client(server.uri() + "&tablePrefix=crowdrow_")) {
            Acquire reading = client.request("read", 1).withShare(Share.READ);
            assertThat(client.acquire(reading)).isInstanceOf(Acquire.Granted.class);
            for (int i = 0; i < 4; i++) {
                crowd.add(CompletableFuture.runAsync(() -> writeUntil(over, server)));
            }
            Await.until("the crowd writes", () -> version(server) > 20);
            List<Renew> alone = List.of(renewal(client, "read", 1, Share.Mode.READ));
            for (int i = 0; i < 10; i++) {
                assertThat(client.renew(alone)).allMatch(Renew.Renewed.class::isInstance);
            }
        } finally {
            over.set(true);
        }
        crowd.forEach(CompletableFuture::join);
    }

    private static void writeUntil(AtomicBoolean over, DatabaseServer server) {
        try (Databases writer = Databases.at(server.uri(), "")) {
            while (!over.get()) {
                writer.run("BEGIN; UPDATE crowdrow_locks SET version = version + 1, waiters = waiters + 1"
                        + " WHERE name = 'Lread'"
                        + " AND used_at <= (EXTRACT(EPOCH FROM clock_timestamp()) * 1000000)::bigint;"
                        + " SELECT pg_sleep(0.01); COMMIT");
            }
        } catch (SQLException e) {
            throw new AssertionError(e);
        }
    }

    private static long version(DatabaseServer server) {
        try (Databases reader = Databases.at(server.uri(), "")) {
            return ((Number) reader.column("SELECT waiters FROM crowdrow_locks WHERE name = 'Lread'")
                            .get(0))
                    .longValue();
        } catch (SQLException e) {
            throw new AssertionError(e);
        }
    }

    /** A foreign key of another table locks the row in this way. */
    @Test
    void isRenewedIfOnlyItsKeyIsLocked() throws SQLException {
        DatabaseServer server = Servers.postgreSql();
        try (StoreClient client = Databases.client(server.uri() + "&tablePrefix=keyrow_");
                Databases foreign = Databases.at(server.uri(), "")) {
            client.granted("lock", 1);
            foreign.connection.setAutoCommit(false);
            assertThat(foreign.column("SELECT version FROM keyrow_locks WHERE name = 'Llock' FOR KEY SHARE"))
                    .hasSize(1);
            assertThat(client.renew(List.of(renewal(client, "lock", 1, Share.Mode.LOCK))))
                    .allMatch(Renew.Renewed.class::isInstance);
            foreign.connection.rollback();
        }
    }

    /** The server ends its connection, as the client does if the waits for several rows take too long. */
    @Tag("ci")
    @Test
    void isNotAwaitedAgainAfterARenewalHasFailed() throws SQLException {
        DatabaseServer server = Servers.mariaDb();
        try (StoreClient client = Databases.client(server.uri() + "&tablePrefix=failedrow_");
                Databases foreign = Databases.at(server.uri(), "");
                Databases ending = foreign.again()) {
            List<Renew> batch = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                client.granted("lock" + i, i);
                batch.add(new Renew("lock" + i, client.tenure(i), StoreClient.LEASE, 0));
            }
            foreign.connection.setAutoCommit(false);
            assertThat(foreign.column("SELECT version FROM failedrow_locks WHERE name = 'Llock0' FOR UPDATE"))
                    .hasSize(1);
            Await.until("a renewal that waits for the row is ended", () -> isEnded(client, batch, ending));
            Await.until("another one does not wait", () -> {
                long sent = System.nanoTime();
                List<Renew.Reply> replies = client.renew(batch);
                return replies.get(0) instanceof Renew.Failed
                        && replies.subList(1, 4).stream().allMatch(Renew.Renewed.class::isInstance)
                        && System.nanoTime() - sent < SHORTEST_WAIT.toNanos();
            });
            foreign.connection.rollback();
        }
    }

    /** As a dump without {@code --single-transaction} does. */
    @Tag("ci")
    @Test
    void costsNoHoldIfTheTableIsLockedForShorterThanALease() throws Exception {
        Duration almostAll = Duration.ofSeconds(29);
        DatabaseServer server = Servers.mariaDb();
        try (Holdfast client = Holdfast.builder()
                        .uri(server.uri() + "&tablePrefix=dumped_")
                        .lease(Duration.ofSeconds(30))
                        .commandTimeout(Duration.ofSeconds(2))
                        .build();
                Databases foreign = Databases.at(server.uri(), "")) {
            Lease held = client.lock("dumped").acquire();
            Await.until("a renewal is needed", () -> held.remainingLease().compareTo(almostAll) < 0);
            foreign.run("LOCK TABLES dumped_locks READ");
            try {
                assertThatThrownBy(() -> held.ensureValid(almostAll)).isInstanceOf(StoreUnavailableException.class);
            } finally {
                foreign.run("UNLOCK TABLES");
            }
            Await.until("it is renewed", () -> {
                held.ensureValid(almostAll);
                return true;
            });
            held.close();
        }
    }

    /** Ends the connection of a renewal while it waits for a row. Returns whether that came before the end of the wait. */
    private static boolean isEnded(StoreClient client, List<Renew> batch, Databases ending) {
        CompletableFuture<List<Renew.Reply>> renewed = CompletableFuture.supplyAsync(() -> client.renew(batch));
        Set<Object> ended = new HashSet<>();
        while (!renewed.isDone()) {
            for (Object id : ending.column("SELECT id FROM information_schema.processlist"
                    + " WHERE info LIKE 'UPDATE%failedrow_locks%' AND time_ms > 100")) {
                if (ended.add(id)) {
                    ending.run("KILL " + id);
                }
            }
        }
        return renewed.isCompletedExceptionally();
    }

    private static Renew renewal(StoreClient client, String name, int tenure, Share.Mode mode) {
        return new Renew(name, client.tenure(tenure), mode, BRIEF_LEASE, 0);
    }
}
