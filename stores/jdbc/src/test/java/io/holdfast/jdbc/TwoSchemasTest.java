package io.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.StoreRefusedException;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A pool of an application with a schema for each tenant, whose connections keep the schema that was set last. */
@Timeout(60)
class TwoSchemasTest {

    private static final AtomicInteger NAMES = new AtomicInteger();

    private final String name = "tenants" + NAMES.incrementAndGet();

    private String postgreSql() {
        String uri = Servers.postgreSql().uri();
        run(uri, "CREATE DATABASE " + name);
        String own = uri.replace("/postgres?", "/" + name + "?");
        run(own, "CREATE SCHEMA tenant0");
        run(own, "CREATE SCHEMA tenant1");
        return own;
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

    private static void assertRefused(DataSource source) {
        assertThatThrownBy(() -> JdbcHoldfast.connect(source).close())
                .isInstanceOf(StoreRefusedException.class)
                .hasMessageContainingAll(
                        "its session finds the table holdfast_locks in the schema tenant0,",
                        "and there is another one in the schema tenant1;",
                        "tablePrefix=SCHEMA.holdfast_");
    }

    @Test
    void usesOneTableOfPostgreSqlWhateverThePathsOfItsConnections() throws InterruptedException {
        String uri = postgreSql();
        try (Holdfast one = JdbcHoldfast.connect(pool(uri, "SET search_path = tenant", 1));
                Holdfast other = JdbcHoldfast.connect(pool(uri, "SET search_path = tenant", 1))) {
            assertOneHolder(one, other);
            assertThat(column(uri, "SELECT schemaname::text FROM pg_tables WHERE tablename = 'holdfast_locks'"))
                    .containsExactly("tenant1");
        }
    }

    @Test
    void refusesTheTableOfAnotherSchemaOfPostgreSqlUnlessItIsNamed() throws InterruptedException {
        String uri = postgreSql();
        DataSource elsewhere = pool(uri, "SET search_path = tenant", 0);
        try (Holdfast one = JdbcHoldfast.connect(pool(uri, "SET search_path = tenant", 1))) {
            assertRefused(elsewhere);
            try (Holdfast named = JdbcHoldfast.builder(elsewhere)
                    .uri("jdbc:datasource?tablePrefix=tenant1.holdfast_")
                    .build()) {
                assertOneHolder(one, named);
            }
        }
    }

    @Test
    void refusesASessionOfPostgreSqlWithoutASchema() {
        String uri = postgreSql();
        assertThatThrownBy(() -> JdbcHoldfast.connect(pool(uri, "SET search_path = nowhere", 0))
                        .close())
                .isInstanceOf(StoreRefusedException.class)
                .hasMessageContaining(
                        "its session has no schema; name one in the URL, or by tablePrefix=SCHEMA.holdfast_");
    }

    @Test
    void usesOneDatabaseOfMariaDbWhateverItsConnectionsUse() throws InterruptedException {
        String uri = Servers.mariaDb().uri();
        run(uri, "CREATE DATABASE " + name + "_0");
        run(uri, "CREATE DATABASE " + name + "_1");
        try (Holdfast one = JdbcHoldfast.connect(pool(uri, "USE " + name + "_", 1));
                Holdfast other = JdbcHoldfast.connect(pool(uri, "USE " + name + "_", 1))) {
            assertOneHolder(one, other);
            assertThat(column(
                            uri,
                            "SELECT table_schema FROM information_schema.tables WHERE table_name = 'holdfast_locks'"
                                    + " AND table_schema LIKE '" + name + "%'"))
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

    @Test
    void fencesWithOneTableWhateverThePathsOfItsConnections() throws SQLException {
        String uri = postgreSql();
        DataSource pool = pool(uri, "SET search_path = tenant", 0);
        JdbcFence fence = JdbcFence.of(pool);
        for (int token = 1; token <= 4; token++) {
            try (Connection transaction = pool.getConnection()) {
                transaction.setAutoCommit(false);
                fence.guard(transaction, "orders", token);
                transaction.commit();
            }
        }
        assertThat(column(uri, "SELECT token FROM tenant1.holdfast_fence")).containsExactly(4L);
        assertThatThrownBy(() -> JdbcFence.of(pool(uri, "SET search_path = tenant", 1)))
                .isInstanceOf(SQLException.class)
                .hasMessageContainingAll(
                        "its session finds the table holdfast_fence in the schema tenant0,",
                        "and there is another one in the schema tenant1;",
                        "name the schema: SCHEMA.holdfast_fence");
        JdbcFence named = JdbcFence.of(pool, "tenant1.holdfast_fence");
        try (Connection transaction = pool.getConnection()) {
            transaction.setAutoCommit(false);
            assertThatThrownBy(() -> named.guard(transaction, "orders", 3)).hasMessageContaining("orders");
        }
    }
}
