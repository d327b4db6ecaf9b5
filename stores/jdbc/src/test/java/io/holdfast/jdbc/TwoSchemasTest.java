package io.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.FencedOutException;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.StoreRefusedException;
import io.holdfast.testkit.Await;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A pool of an application with a schema for each tenant, whose connections keep the schema that was set last. */
@Timeout(180)
class TwoSchemasTest {

    private static final AtomicInteger NAMES = new AtomicInteger();

    private final String name = "tenants" + NAMES.incrementAndGet();

    /** Returns the address of a database with two schemas, for tables with names of their own. */
    private String postgreSql() {
        String uri = Servers.postgreSql().uri();
        run(uri, "CREATE SCHEMA " + name + "_0");
        run(uri, "CREATE SCHEMA " + name + "_1");
        return uri;
    }

    /** Connects with tables that no other test has in any schema. */
    private Holdfast connect(DataSource source, String schema) {
        return JdbcHoldfast.builder(source)
                .uri("jdbc:datasource?tablePrefix=" + schema + name + "_")
                .build();
    }

    private static void run(String uri, String sql) {
        try (Connection connection = DriverManager.getConnection(uri);
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        } catch (SQLException e) {
            throw new AssertionError(e);
        }
    }

    private static List<Object> column(String uri, String sql) {
        try (Databases database = Databases.at(uri, "")) {
            return database.column(sql);
        } catch (SQLException e) {
            throw new AssertionError(e);
        }
    }

    /**
     * Returns a source of connections that were used for the one and for the other tenant in turn.
     *
     * @param setting the statement with which the application sets the tenant, without its number
     * @param first the tenant of the first connection that is used; one before it serves to ask for the product
     */
    private static DataSource pool(String uri, String setting, int first) {
        AtomicInteger next = new AtomicInteger(first + 1);
        return Sources.of(() -> {
            Connection connection = DriverManager.getConnection(uri);
            try (Statement statement = connection.createStatement()) {
                statement.execute(setting + next.getAndIncrement() % 2);
            }
            return connection;
        });
    }

    private static void assertOneHolder(Holdfast one, Holdfast other) throws InterruptedException {
        for (int round = 0; round < 20; round++) {
            try (Lease held = one.lock("job").acquire()) {
                assertThat(other.lock("job").tryAcquire()).isEmpty();
                assertThat(held.isValid()).isTrue();
            }
        }
    }

    private void assertAmbiguous(ThrowingCallable call, Class<? extends Exception> kind, String table, String remedy) {
        assertThatThrownBy(call)
                .isInstanceOf(kind)
                .hasMessageContainingAll(
                        "its session uses the table " + table + " of the schema " + name + "_0,",
                        "and there is one of that name in the schema " + name + "_1;",
                        remedy);
    }

    private DataSource ofPostgreSql(String uri, int first) {
        return pool(uri, "SET search_path = " + name + "_", first);
    }

    @Test
    void usesOneTableOfPostgreSqlWhateverThePathsOfItsConnections() throws InterruptedException {
        String uri = postgreSql();
        try (Holdfast one = connect(ofPostgreSql(uri, 1), "");
                Holdfast other = connect(ofPostgreSql(uri, 1), "")) {
            assertOneHolder(one, other);
            assertThat(column(uri, "SELECT schemaname::text FROM pg_tables WHERE tablename = '" + name + "_locks'"))
                    .containsExactly(name + "_1");
        }
    }

    @Test
    void refusesTheTableOfAnotherSchemaOfPostgreSqlUnlessItIsNamed() throws InterruptedException {
        String uri = postgreSql();
        DataSource elsewhere = ofPostgreSql(uri, 0);
        try (Holdfast one = connect(ofPostgreSql(uri, 1), "")) {
            assertAmbiguous(
                    () -> connect(elsewhere, "").close(),
                    StoreRefusedException.class,
                    name + "_locks",
                    "tablePrefix=SCHEMA." + name + "_");
            try (Holdfast named = connect(elsewhere, name + "_1.")) {
                assertOneHolder(one, named);
            }
        }
    }

    @Test
    void refusesASessionOfPostgreSqlWithoutASchema() {
        DataSource source = pool(postgreSql(), "SET search_path = nowhere", 0);
        assertThatThrownBy(() -> connect(source, "").close())
                .isInstanceOf(StoreRefusedException.class)
                .hasMessageContaining(
                        "its session has no schema; name one in the URL, or by tablePrefix=SCHEMA." + name + "_");
    }

    @Test
    void usesOneDatabaseOfMariaDbWhateverItsConnectionsUse() throws InterruptedException {
        String uri = Servers.mariaDb().uri();
        run(uri, "CREATE DATABASE " + name + "_0");
        run(uri, "CREATE DATABASE " + name + "_1");
        try (Holdfast one = connect(pool(uri, "USE " + name + "_", 1), "");
                Holdfast other = connect(pool(uri, "USE " + name + "_", 1), "")) {
            assertOneHolder(one, other);
            assertThat(column(
                            uri,
                            "SELECT table_schema FROM information_schema.tables WHERE table_name = '" + name
                                    + "_locks'"))
                    .containsExactly(name + "_1");
        }
    }

    @Test
    void refusesASessionOfMariaDbWithoutADatabase() {
        String uri = Servers.mariaDb().uri().replace("/locks?", "/?");
        assertThatThrownBy(() -> JdbcHoldfast.connect(Sources.of(() -> DriverManager.getConnection(uri)))
                        .close())
                .isInstanceOf(StoreRefusedException.class)
                .hasMessageContaining("its session has no schema; name one in the URL");
    }

    /** Each creates its table in its own schema before it can see the other one. */
    @Test
    void atMostOneOfTwoFirstClientsConnects() throws Exception {
        String uri = postgreSql();
        try (Databases database = Databases.at(uri, "");
                Databases observer = Databases.at(uri, "")) {
            database.connection.setAutoCommit(false);
            database.run("LOCK TABLE pg_catalog.pg_class IN SHARE MODE");
            List<CompletableFuture<Optional<Holdfast>>> clients = Stream.of(0, 1)
                    .map(first -> CompletableFuture.supplyAsync(() -> connected(ofPostgreSql(uri, first))))
                    .toList();
            Await.until("both create a table", () -> creating(observer).size() == 2);
            database.connection.rollback();
            List<Holdfast> connected = new ArrayList<>();
            for (CompletableFuture<Optional<Holdfast>> client : clients) {
                client.get(60, TimeUnit.SECONDS).ifPresent(connected::add);
            }
            connected.forEach(Holdfast::close);
            assertThat(connected).hasSizeLessThanOrEqualTo(1);
        }
    }

    private List<Object> creating(Databases observer) {
        return observer.column("SELECT pid FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE"
                + " 'CREATE TABLE%" + name + "_locks%'");
    }

    /** Returns a client that waits patiently for locked rows; empty if another one was faster. */
    private Optional<Holdfast> connected(DataSource source) {
        try {
            return Optional.of(JdbcHoldfast.builder(source)
                    .uri("jdbc:datasource?tablePrefix=" + name + "_")
                    .commandTimeout(Duration.ofSeconds(60))
                    .connectTimeout(Duration.ofSeconds(60))
                    .build());
        } catch (StoreRefusedException e) {
            assertThat(e).hasMessageContaining("and there is one of that name in the schema");
            return Optional.empty();
        }
    }

    /** Guards a name with rising tokens, on connections that were used for the one and for the other tenant in turn. */
    private static void guard(JdbcFence fence, DataSource pool, int first) throws SQLException {
        for (int token = first; token < first + 4; token++) {
            try (Connection transaction = pool.getConnection()) {
                transaction.setAutoCommit(false);
                fence.guard(transaction, "orders", token);
                transaction.commit();
            }
        }
    }

    /**
     * Requires that all connections of a pool use one table.
     *
     * @param setting the statement with which the application sets the tenant, without its number
     */
    private void assertFencesWithOneTable(String uri, String setting) throws SQLException {
        String table = name + "_fence";
        // a fence asks for the product on the connection that it uses
        DataSource pool = pool(uri, setting, 0);
        guard(JdbcFence.of(pool, table), pool, 1);
        assertThat(column(uri, "SELECT token FROM " + name + "_1." + table)).containsExactly(4L);
        JdbcFence named = JdbcFence.of(pool, name + "_1." + table);
        guard(named, pool, 5);
        assertThat(column(uri, "SELECT token FROM " + name + "_1." + table)).containsExactly(8L);
        try (Connection transaction = pool.getConnection()) {
            transaction.setAutoCommit(false);
            assertThatThrownBy(() -> named.guard(transaction, "orders", 7)).isInstanceOf(FencedOutException.class);
            transaction.rollback();
        }
    }

    @Test
    void fencesWithOneTableOfPostgreSql() throws SQLException {
        String uri = postgreSql();
        assertFencesWithOneTable(uri, "SET search_path = " + name + "_");
        assertAmbiguous(
                () -> JdbcFence.of(ofPostgreSql(uri, 1), name + "_fence"),
                SQLException.class,
                name + "_fence",
                "name the schema: SCHEMA." + name + "_fence");
    }

    @Test
    void fencesWithOneTableOfMariaDb() throws SQLException {
        String uri = Servers.mariaDb().uri();
        run(uri, "CREATE DATABASE " + name + "_0");
        run(uri, "CREATE DATABASE " + name + "_1");
        assertFencesWithOneTable(uri, "USE " + name + "_");
        assertThat(column(
                        uri,
                        "SELECT table_schema FROM information_schema.tables WHERE table_name = '" + name + "_fence'"))
                .containsExactly(name + "_1");
    }

    @Test
    void fencesWithOneTableOfH2() throws SQLException {
        String uri = "jdbc:h2:mem:" + name + ";DB_CLOSE_DELAY=-1";
        run(uri, "CREATE SCHEMA " + name + "_0");
        run(uri, "CREATE SCHEMA " + name + "_1");
        assertFencesWithOneTable(uri, "SET SCHEMA " + name + "_");
        assertThatThrownBy(() -> JdbcFence.of(pool(uri, "SET SCHEMA " + name + "_", 1), name + "_fence"))
                .isInstanceOf(SQLException.class)
                .hasMessageContaining("name the schema: SCHEMA." + name + "_fence");
    }
}
