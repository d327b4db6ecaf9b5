package io.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.holdfast.jdbc.WatchedSessions.Watched;
import io.holdfast.jdbc.sql.Dialect;
import io.holdfast.jdbc.sql.Key;
import io.holdfast.jdbc.sql.Message;
import io.holdfast.jdbc.sql.Row;
import io.holdfast.spi.Acquire;
import io.holdfast.spi.Acquire.Queueing;
import io.holdfast.spi.Renew;
import io.holdfast.spi.Share;
import io.holdfast.support.record.LockRecord;
import io.holdfast.support.store.RecordKeys;
import io.holdfast.testkit.Await;
import io.holdfast.testkit.StoreClient;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** A row that a holder reserves, because other clients always write it first. */
@Timeout(180)
class ReservedRowTest {

    private static final AtomicInteger NAMES = new AtomicInteger();

    /** More than a write takes, and less than a reservation. */
    private static final long HEAD_START_MILLIS = 100;

    /** Less than a reservation. */
    private static final Duration RESERVED = Duration.ofMillis(400);

    /** The lost races after which a row is reserved. */
    private static final int CROWDED = 8;

    private static final Duration PATIENT = Duration.ofSeconds(12);

    private final String name = "reserved" + NAMES.incrementAndGet();
    private final AtomicInteger tenures = new AtomicInteger(100);

    static Stream<DatabaseServer> servers() {
        return Stream.of(Servers.postgreSql(), Servers.mariaDb());
    }

    static Stream<Arguments> holds() {
        return servers().flatMap(server -> Stream.of(Share.READ, Share.WRITE).map(share -> arguments(server, share)));
    }

    private static String url(DatabaseServer server) {
        return server.uri() + "&tablePrefix=reserved_";
    }

    /** Another client joins the queue and leaves it, and so writes the row twice, unless it has to wait for its turn. */
    private boolean writeFirst(StoreClient other) {
        int tenure = tenures.incrementAndGet();
        Acquire request = other.request(name, tenure).withShare(Share.WRITE).queued(Queueing.FAIR, 0);
        var unused = CompletableFuture.supplyAsync(() -> other.acquire(request))
                .thenApply(reply -> other.release(name, tenure))
                .handle((reply, failure) -> true)
                .completeOnTimeout(false, HEAD_START_MILLIS, TimeUnit.MILLISECONDS)
                .join();
        return true;
    }

    @ParameterizedTest(autoCloseArguments = false)
    @MethodSource("holds")
    void isRenewedThoughAnotherClientAlwaysWritesFirst(DatabaseServer server, Share share) {
        try (Watched watched = WatchedSessions.client(url(server));
                StoreClient other = Databases.client(url(server))) {
            StoreClient holder = watched.client();
            assertThat(holder.acquire(holder.request(name, 1).withShare(share))).isInstanceOf(Acquire.Granted.class);
            watched.sessions().beforeWrite(what -> writeFirst(other));
            Renew renewal = new Renew(name, holder.tenure(1), share.mode(), StoreClient.LEASE, 0);
            assertThat(holder.renew(List.of(renewal))).hasOnlyElementsOfType(Renew.Renewed.class);
        }
    }

    /** A queue of writers keeps the row locked for longer than a statement waits. */
    @Test
    void isRenewedThoughItsTurnComesAfterMoreThanOneWait() throws SQLException {
        DatabaseServer server = Servers.postgreSql();
        try (Watched watched = WatchedSessions.client(
                        url(server), config -> config.withTimeouts(PATIENT, config.connectTimeout()));
                StoreClient other = Databases.client(url(server));
                Databases foreign = Databases.at(url(server), "")) {
            StoreClient holder = watched.client();
            assertThat(holder.acquire(holder.request(name, 1).withShare(Share.READ)))
                    .isInstanceOf(Acquire.Granted.class);
            foreign.connection.setAutoCommit(false);
            AtomicInteger races = new AtomicInteger();
            watched.sessions().beforeWrite(what -> {
                int race = races.incrementAndGet();
                return race > CROWDED || (writeFirst(other) && (race < CROWDED || lock(foreign)));
            });
            Renew renewal = new Renew(name, holder.tenure(1), Share.Mode.READ, StoreClient.LEASE, 0);
            assertThat(holder.renew(List.of(renewal))).hasOnlyElementsOfType(Renew.Renewed.class);
        }
    }

    /** Locks the row for a quarter of a second more than a statement waits for it. */
    private boolean lock(Databases foreign) {
        assertThat(foreign.column("SELECT version FROM reserved_locks WHERE name = 'L" + name + "' FOR UPDATE"))
                .hasSize(1);
        long millis = PATIENT.dividedBy(4).toMillis() + 250;
        CompletableFuture.delayedExecutor(millis, TimeUnit.MILLISECONDS).execute(() -> foreign.run("ROLLBACK"));
        return true;
    }

    @ParameterizedTest(autoCloseArguments = false)
    @MethodSource("servers")
    void isWrittenByNobodyElseUntilTheReservationEnds(DatabaseServer server) throws SQLException {
        try (StoreClient client = Databases.client(url(server));
                Databases database = Databases.at(url(server), "")) {
            client.granted(name, 1);
            Dialect dialect = dialect(server);
            Connection connection = prepared(dialect, database);
            Key key = Key.of(new RecordKeys("").lock(name));
            checkReserved(dialect, connection, key, reserved -> {
                Row read = dialect.read(connection, key);
                assertThat(read.version()).isEqualTo(reserved.version());
                assertThat(dialect.reserve(connection, key)).isEmpty();
                assertThat(isWritten(dialect, connection, key, read)).isFalse();
                assertThat(isWritten(dialect, connection, key, reserved)).isTrue();
            });
            assertThat(isWritten(dialect, connection, key, dialect.read(connection, key)))
                    .as("after the reserved write")
                    .isTrue();
            assertThat(dialect.reserve(connection, key)).isPresent();
            Await.until("the reservation ends by itself", () -> {
                try {
                    return isWritten(dialect, connection, key, dialect.read(connection, key));
                } catch (SQLException e) {
                    throw new AssertionError(e);
                }
            });
        }
    }

    private interface Check {
        void run(Row reserved) throws SQLException;
    }

    /** Reserves a row, and checks it. Repeats both if the check took so long that the reservation may have ended meanwhile. */
    private static void checkReserved(Dialect dialect, Connection connection, Key key, Check check) {
        Await.until("a check takes less than a reservation", () -> {
            long start = System.nanoTime();
            try {
                Optional<Row> reserved = dialect.reserve(connection, key);
                if (reserved.isPresent()) {
                    check.run(reserved.get());
                }
                return reserved.isPresent() && isReservedSince(start);
            } catch (AssertionError e) {
                if (isReservedSince(start)) {
                    throw e;
                }
                return false;
            } catch (SQLException e) {
                throw new AssertionError(e);
            }
        });
    }

    private static boolean isReservedSince(long start) {
        return System.nanoTime() - start < RESERVED.toNanos();
    }

    /** On PostgreSQL, a write that has waited and comes too late has locked the row, and all others wait for the end of its commit. */
    @Test
    void onlyTheCommitOfAChangeWaitsForTheDisk() throws SQLException {
        DatabaseServer server = Servers.postgreSql();
        try (StoreClient client = Databases.client(url(server));
                Databases database = Databases.at(url(server), "")) {
            client.granted(name, 1);
            Dialect dialect = dialect(server);
            Connection connection = prepared(dialect, database);
            Key key = Key.of(new RecordKeys("").lock(name));
            Row read = dialect.read(connection, key);
            List<Message> messages = List.of(new Message("somebody", "text"));
            connection.setAutoCommit(false);
            assertThat(durability(database, () -> isWritten(dialect, connection, key, read, messages)))
                    .isEqualTo("true on");
            assertThat(durability(database, () -> isWritten(dialect, connection, key, read)))
                    .isEqualTo("true on");
            assertThat(durability(
                            database, () -> dialect.reserve(connection, key).isPresent()))
                    .isEqualTo("true on");
            connection.setAutoCommit(true);
            assertThat(dialect.reserve(connection, key)).isPresent();
            connection.setAutoCommit(false);
            assertThat(durability(database, () -> isWritten(dialect, connection, key, read, messages)))
                    .isEqualTo("false off");
            assertThat(durability(database, () -> isWritten(dialect, connection, key, read)))
                    .isEqualTo("false off");
            Key missing = Key.of(new RecordKeys("").lock("missing"));
            assertThat(durability(
                            database, () -> dialect.reserve(connection, missing).isPresent()))
                    .isEqualTo("false off");
        }
    }

    private interface Writing {
        boolean run() throws SQLException;
    }

    /** Returns whether something was written, and how the transaction would be committed. It is rolled back. */
    private static String durability(Databases database, Writing writing) throws SQLException {
        boolean written = writing.run();
        Object setting = database.column("SHOW synchronous_commit").get(0);
        database.connection.rollback();
        return written + " " + setting;
    }

    private static Dialect dialect(DatabaseServer server) {
        return Address.parse(url(server), Duration.ofSeconds(2)).database().dialect();
    }

    private static Connection prepared(Dialect dialect, Databases database) throws SQLException {
        Connection connection = dialect.configured(database.connection, 2_000);
        dialect.locate(connection);
        return connection;
    }

    private static boolean isWritten(Dialect dialect, Connection connection, Key key, Row before) throws SQLException {
        return isWritten(dialect, connection, key, before, List.of());
    }

    private static boolean isWritten(
            Dialect dialect, Connection connection, Key key, Row before, List<Message> messages) throws SQLException {
        return dialect.write(connection, key, before, before.columns(), LockRecord.NEVER, messages);
    }
}
