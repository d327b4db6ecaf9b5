package io.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.spi.Renew;
import io.holdfast.spi.StoreException;
import io.holdfast.spi.StoreException.Effect;
import io.holdfast.testkit.StoreClient;
import java.sql.SQLException;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A user who loses a right on the tables while it holds locks. */
class MissingRightTest {

    private final Databases database = Databases.memory();
    private StoreClient client;

    @BeforeEach
    void connect() {
        // the tables exist before there is a right to grant on them
        database.client().close();
        database.run("CREATE USER limited PASSWORD 'limited'");
        database.run("GRANT SELECT, INSERT, UPDATE, DELETE ON holdfast_locks TO limited");
        database.run("GRANT SELECT, INSERT, UPDATE, DELETE ON holdfast_clients TO limited");
        client = Databases.client(database.url() + ";USER=limited;PASSWORD=limited");
    }

    @AfterEach
    void close() throws Exception {
        client.close();
        database.close();
    }

    private Renew renewal(int tenure) {
        return new Renew("lock" + tenure, client.tenure(tenure), StoreClient.LEASE, 0);
    }

    /** It could acquire locks, and could not write a record with more than one owner. */
    @Test
    void refusesAUserOfPostgreSqlWhoCannotEndAWriteSoon() throws SQLException {
        String all = Servers.postgreSql().uri();
        String own = all.replaceFirst("/[^/?]*\\?", "/without_config?");
        try (Databases server = Databases.at(all, "")) {
            server.run("CREATE DATABASE without_config");
            server.run("CREATE ROLE unconfigured LOGIN");
        }
        try (Databases without = Databases.at(own, "")) {
            without.run("GRANT CREATE ON SCHEMA public TO unconfigured");
            without.run("REVOKE EXECUTE ON FUNCTION set_config(text, text, boolean) FROM PUBLIC");
        }
        String limited = own.replace("user=postgres", "user=unconfigured");
        assertThatThrownBy(() -> Databases.client(limited).close())
                .isInstanceOf(StoreException.class)
                .hasMessageContainingAll("the user lacks a right", "execute on the function set_config");
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void delaysARenewalAndDoesNotRefuseIt(int locks) {
        List<Renew> batch = List.of(1, 2).subList(0, locks).stream()
                .map(tenure -> {
                    client.granted("lock" + tenure, tenure);
                    return renewal(tenure);
                })
                .toList();
        database.run("REVOKE UPDATE ON holdfast_locks FROM limited");
        assertThatThrownBy(() -> client.renew(batch))
                .isInstanceOfSatisfying(
                        StoreException.class, e -> assertThat(e.effect()).isEqualTo(Effect.NOT_APPLIED))
                .hasMessageContaining("the user lacks a right");
        database.run("GRANT UPDATE ON holdfast_locks TO limited");
        assertThat(client.renew(batch)).allMatch(Renew.Renewed.class::isInstance);
    }
}
