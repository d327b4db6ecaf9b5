package io.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import io.holdfast.Holdfast;
import io.holdfast.HoldfastException;
import io.holdfast.Lease;
import io.holdfast.LockReport;
import io.holdfast.jdbc.connection.Connections;
import io.holdfast.jdbc.connection.Database;
import io.holdfast.jdbc.sql.Statements;
import io.holdfast.spi.Platform;
import io.holdfast.spi.StoreConfig;
import io.holdfast.spi.StoreException;
import io.holdfast.testkit.Await;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Function;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The pool of an application whose server becomes read-only, as after a failover. New connections lead to another one. */
@Timeout(180)
class ReadOnlyServerTest {

    private static final int CONNECTIONS = 10;

    /** A user of MariaDB. */
    private static final String USER = "writer@localhost";

    /** More than it takes on a busy machine. */
    private static final Duration SOON = Duration.ofSeconds(10);

    private static final Duration PATIENCE = Duration.ofMinutes(1);

    private final List<Connection> opened = new CopyOnWriteArrayList<>();
    private final HikariDataSource pool = new HikariDataSource();
    private volatile boolean demoted;

    /** A kind of server. */
    record Server(String uri, String demotion) {

        private void demote(Connection connection) {
            try {
                if (!connection.isClosed()) {
                    connection.createStatement().execute(demotion);
                }
            } catch (SQLException e) {
                // race: its pool may close it at any time
                if (!isClosed(connection)) {
                    throw new AssertionError(e);
                }
            }
        }

        private static boolean isClosed(Connection connection) {
            try {
                return connection.isClosed();
            } catch (SQLException e) {
                throw new AssertionError(e);
            }
        }
    }

    static Stream<Server> servers() {
        return Stream.of(
                new Server(Servers.postgreSql().uri(), "SET default_transaction_read_only = on"),
                new Server(Servers.mariaDb().uri(), "SET SESSION TRANSACTION READ ONLY"));
    }

    @AfterEach
    void close() {
        pool.close();
    }

    private Holdfast connect(Server server, Function<DataSource, DataSource> shown) {
        fill(() -> {
            Connection connection = DriverManager.getConnection(server.uri());
            if (demoted) {
                server.demote(connection);
            }
            opened.add(connection);
            return connection;
        });
        Holdfast holdfast = connect(shown.apply(pool));
        Await.until("the pool is open", () -> opened.size() >= CONNECTIONS);
        return holdfast;
    }

    private void fill(Sources.Borrowing opening) {
        pool.setDataSource(Sources.of(opening));
        pool.setMaximumPoolSize(CONNECTIONS);
        pool.setMinimumIdle(CONNECTIONS);
    }

    private static Holdfast connect(DataSource source) {
        return JdbcHoldfast.builder(source)
                .uri("jdbc:datasource?tablePrefix=demoted_")
                .lease(Duration.ofSeconds(20))
                .build();
    }

    private static boolean acquires(Holdfast client, String name) {
        try {
            return client.lock(name).tryLock();
        } catch (HoldfastException e) {
            return false;
        }
    }

    private void assertLeaves(Server server, Function<DataSource, DataSource> shown) throws InterruptedException {
        try (Holdfast holdfast = connect(server, shown);
                Lease lease = holdfast.lock("held").acquire()) {
            opened.forEach(server::demote);
            long renewals = holdfast.stats().renewals();
            Await.until("a lock is acquired at the new server", () -> acquires(holdfast, "new"));
            Await.until("the lease is renewed there", () -> holdfast.stats().renewals() > renewals);
            assertThat(lease.isValid()).isTrue();
        }
    }

    @ParameterizedTest
    @MethodSource("servers")
    void isLeftAtOnceByHikari(Server server) throws InterruptedException {
        assertLeaves(server, source -> source);
    }

    @Tag("ci")
    @ParameterizedTest
    @MethodSource("servers")
    void isLeftByAnotherPool(Server server) throws InterruptedException {
        assertLeaves(server, source -> Sources.of(source::getConnection));
    }

    @Tag("ci")
    @ParameterizedTest
    @MethodSource("servers")
    void isLeftOnceInASecond(Server server) {
        try (Holdfast holdfast = connect(server, source -> Sources.of(source::getConnection))) {
            demoted = true;
            opened.forEach(server::demote);
            long start = System.nanoTime();
            while (System.nanoTime() - start < Duration.ofSeconds(3).toNanos()) {
                assertThat(acquires(holdfast, "none")).isFalse();
            }
            long seconds = Duration.ofNanos(System.nanoTime() - start).toSeconds();
            assertThat((long) opened.size()).isLessThanOrEqualTo(CONNECTIONS + seconds + 2);
        }
    }

    private Connection note(Connection connection) {
        opened.add(connection);
        return connection;
    }

    private static Optional<Integer> write(Connections connections) {
        return connections.runWrite(
                "write", connection -> Statements.update(connection, "DELETE FROM demoted_locks WHERE name = ''"));
    }

    private static boolean lendsTwo(Connections connections) {
        return connections.run("one", one -> connections.run("another", another -> !one.equals(another)));
    }

    private void assertLeavesAtOnce(Server server, Database database) {
        opened.clear();
        StoreConfig config = StoreConfig.of(server.uri(), LockReport.Client.unknown("demoted"), Platform.system())
                .withTimeouts(PATIENCE, PATIENCE);
        try (Connections connections = new Connections(config, database)) {
            connections.connect();
            assertThat(lendsTwo(connections)).isTrue();
            List<Connection> former = List.copyOf(opened);
            former.forEach(server::demote);
            assertThatThrownBy(() -> write(connections))
                    .isInstanceOf(StoreException.class)
                    .hasMessageContaining("it is read-only");
            assertThat(write(connections)).as("rows at the new server").hasValue(0);
            Await.until(
                    "no connection to the former server is open",
                    () -> former.stream().allMatch(Server::isClosed));
        }
    }

    /** No other request of the client comes in between. */
    @ParameterizedTest
    @MethodSource("servers")
    void isLeftByTheFirstRequestThatItRefuses(Server server) {
        Database own =
                Address.parse(server.uri() + "&tablePrefix=demoted_", PATIENCE).database();
        assertLeavesAtOnce(
                server,
                new Database(
                        own.dialect(),
                        own.shown(),
                        own.createsTables(),
                        () -> note(own.driver().run()),
                        own.explanation(),
                        own.application(),
                        own.endsWithLastConnection()));
        assertLeavesAtOnce(
                server,
                Database.of(
                        own.dialect(),
                        Sources.of(() -> note(own.driver().run())),
                        own.shown(),
                        own.createsTables(),
                        PATIENCE.toMillis()));
    }

    /** Makes the server read-only for the connections that are open. Those that a user opens later may write. */
    private static void demote(Databases administrator) {
        administrator.run("SET GLOBAL read_only = ON");
        administrator.run("GRANT READ_ONLY ADMIN ON *.* TO " + USER);
    }

    private static void assertLeavesSoon(Function<String, Holdfast> connecting) throws SQLException {
        try (Databases administrator = Databases.at(Servers.mariaDb().uri(), "")) {
            administrator.run("CREATE USER " + USER);
            administrator.run("GRANT SELECT, INSERT, UPDATE, DELETE, CREATE ON *.* TO " + USER);
            try (Holdfast holdfast = connecting.apply(Servers.mariaDb().uri().replace("user=root", "user=writer"))) {
                Await.until("a lock is acquired", () -> acquires(holdfast, "before"));
                demote(administrator);
                long start = System.nanoTime();
                Await.until("a lock is acquired by a new connection", () -> acquires(holdfast, "after"));
                assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(SOON);
            } finally {
                administrator.run("SET GLOBAL read_only = OFF");
                administrator.run("DROP USER " + USER);
            }
        }
    }

    @Test
    void isLeftSoonByHikariThoughAllOfItsServerIsReadOnly() throws SQLException {
        assertLeavesSoon(uri -> {
            fill(() -> DriverManager.getConnection(uri));
            return connect(pool);
        });
    }

    @Test
    void isLeftSoonByTheConnectionsOfAClient() throws SQLException {
        assertLeavesSoon(uri -> Holdfast.connect(uri + "&tablePrefix=demoted_"));
    }
}
