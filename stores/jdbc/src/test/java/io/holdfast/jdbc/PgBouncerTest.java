package io.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.spi.Renew;
import io.holdfast.testkit.Await;
import io.holdfast.testkit.StoreClient;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Another application behind the same connection pooler, which gets the sessions that a client has used. */
@Tag("pgbouncer")
@Timeout(120)
class PgBouncerTest {

    /** More than the number of executions after which the driver prepares a statement at the server. */
    private static final int ROUNDS = 20;

    private static final int SESSIONS = 4;
    private static final String STATE = "SELECT concat_ws(' ', current_setting('statement_timeout'),"
            + " current_setting('lock_timeout'), current_setting('default_transaction_isolation'),"
            + " (SELECT count(*) FROM pg_prepared_statements), (SELECT count(*) FROM pg_listening_channels()))";
    private static final String UNCHANGED = "0 0 read committed 0 0";

    private final String uri = PgBouncer.shared().uri(Servers.postgreSql().uri()) + "&tablePrefix=pooled_";

    /** Returns the states of several sessions that are open at the same time. */
    private static Set<String> states(String uri) throws SQLException {
        Set<String> states = new TreeSet<>();
        List<Connection> open = new ArrayList<>();
        try {
            for (int session = 0; session < SESSIONS; session++) {
                Connection connection = DriverManager.getConnection(
                        uri.replaceFirst("&tablePrefix=.*", "") + "&preferQueryMode=simple");
                open.add(connection);
                connection.setAutoCommit(false);
                try (Statement statement = connection.createStatement();
                        ResultSet result = statement.executeQuery(STATE)) {
                    result.next();
                    states.add(result.getString(1));
                }
            }
        } finally {
            for (Connection connection : open) {
                connection.rollback();
                connection.close();
            }
        }
        return states;
    }

    private void use(Holdfast client) throws SQLException {
        for (int round = 0; round < ROUNDS; round++) {
            client.lock("pooled" + round).run(() -> {});
            client.fairLock("fair").run(() -> {});
        }
        assertThat(states(uri)).as("while it is used").containsExactly(UNCHANGED);
    }

    @Test
    void findsItsSessionsUnchanged() throws SQLException {
        try (Holdfast client = Holdfast.connect(uri)) {
            use(client);
        }
        assertThat(states(uri)).as("after it").containsExactly(UNCHANGED);
    }

    @Test
    void findsItsSessionsUnchangedAfterADataSource() throws SQLException {
        HikariConfig options = new HikariConfig();
        options.setJdbcUrl(PgBouncer.shared().uri(Servers.postgreSql().uri()) + "&prepareThreshold=0");
        try (HikariDataSource pool = new HikariDataSource(options)) {
            try (Holdfast client = JdbcHoldfast.builder(pool)
                    .uri("jdbc:datasource?tablePrefix=pooled_")
                    .build()) {
                use(client);
            }
        }
        assertThat(states(uri)).as("after it").containsExactly(UNCHANGED);
    }

    @Test
    void isHandedOverToAWaiter() throws Exception {
        try (Holdfast holder = Holdfast.connect(uri);
                Holdfast waiter = Holdfast.connect(uri);
                Databases admin = Databases.at(Servers.postgreSql().uri(), "")) {
            Lease lease = holder.lock("handed").acquire();
            CompletionStage<Optional<Lease>> waiting =
                    waiter.lock("handed").async().tryAcquire(Duration.ofSeconds(60));
            Await.until(
                    "it waits",
                    () -> !admin.column("SELECT 1 FROM pooled_locks WHERE waiters > 0")
                            .isEmpty());
            lease.close();
            assertThat(Await.reply(waiting)).isPresent();
        }
    }

    /** Another statement could wait for the row for as long as the client waits for the answer. */
    @Test
    void saysThatARowIsLocked() throws SQLException {
        try (StoreClient client = Databases.client(uri);
                Databases admin = Databases.at(Servers.postgreSql().uri(), "")) {
            client.granted("kept", 1);
            client.granted("other", 2);
            admin.connection.setAutoCommit(false);
            assertThat(admin.column("SELECT version FROM pooled_locks WHERE name = 'Lkept' FOR UPDATE"))
                    .hasSize(1);
            List<Renew.Reply> replies = client.renew(List.of(
                    new Renew("kept", client.tenure(1), StoreClient.LEASE, 0),
                    new Renew("other", client.tenure(2), StoreClient.LEASE, 0)));
            assertThat(replies.get(0))
                    .isInstanceOfSatisfying(
                            Renew.Failed.class,
                            failed -> assertThat(failed.cause()).hasMessageContaining("locked by another transaction"));
            assertThat(replies.get(1)).isInstanceOf(Renew.Renewed.class);
            admin.connection.rollback();
        }
    }

    /** The driver would fetch the rest of a result after the commit. */
    @Test
    void readsAWholeResultWhateverTheFetchSize() {
        try (StoreClient client = Databases.client(uri.replace("&tablePrefix", "&defaultRowFetchSize=1&tablePrefix"))) {
            client.granted("first", 1);
            client.granted("second", 2);
            assertThat(client.renew(List.of(
                            new Renew("first", client.tenure(1), StoreClient.LEASE, 0),
                            new Renew("second", client.tenure(2), StoreClient.LEASE, 0))))
                    .allMatch(Renew.Renewed.class::isInstance);
        }
    }

    /**
     * The sessions of the pooler have a default that loses commits, and another isolation. A client that stops in a transaction must
     * not keep the row.
     */
    @Test
    void waitsForTheDiskInASessionThatDoesNot() throws SQLException {
        try (Databases admin = Databases.at(Servers.postgreSql().uri(), "")) {
            admin.run("CREATE ROLE careless LOGIN SUPERUSER");
            admin.run("ALTER ROLE careless SET synchronous_commit = off");
            admin.run("ALTER ROLE careless SET default_transaction_isolation = 'serializable'");
            admin.run("CREATE FUNCTION noted() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN"
                    + " INSERT INTO notes VALUES (current_setting('synchronous_commit') || ' '"
                    + " || current_setting('transaction_isolation') || ' '"
                    + " || current_setting('idle_in_transaction_session_timeout')); RETURN NULL; END $$");
            admin.run("CREATE TABLE notes (text text)");
            String careless = uri.replace("user=postgres", "user=careless").replace("pooled_", "careless_");
            try (StoreClient client = Databases.client(careless)) {
                admin.run("CREATE TRIGGER noted AFTER INSERT OR UPDATE ON careless_locks EXECUTE FUNCTION noted()");
                client.granted("durable", 1);
                client.release("durable", 1);
            }
            assertThat(admin.column("SELECT DISTINCT text FROM notes")).containsExactly("on read committed 5s");
            assertThat(states(careless)).containsExactly("0 0 serializable 0 0");
        }
    }
}
