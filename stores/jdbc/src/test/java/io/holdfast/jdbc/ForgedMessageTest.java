package io.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.spi.Acquire;
import io.holdfast.spi.Signal;
import io.holdfast.testkit.Await;
import io.holdfast.testkit.StoreClient;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A user of PostgreSQL who may read the tables, and so knows all ids, sends messages. */
class ForgedMessageTest {

    private static final String NAME = "forged";
    private static final String ROLE = "holdfast_reader";

    private final Databases database = Servers.postgreSql().database();

    @BeforeEach
    void createRole() {
        database.run("CREATE ROLE " + ROLE);
    }

    @AfterEach
    void close() throws Exception {
        database.run("RESET ROLE");
        database.run("DROP OWNED BY " + ROLE);
        database.run("DROP ROLE " + ROLE);
        database.close();
    }

    private void forge(StoreClient receiver, String message) {
        database.run("SELECT pg_notify('hf_" + receiver.id() + "', '" + message + "')");
    }

    private static List<Signal.Assigned> assignments(StoreClient client) {
        return client.signals().stream()
                .filter(Signal.Assigned.class::isInstance)
                .map(Signal.Assigned.class::cast)
                .toList();
    }

    @Test
    void assignsNothingThatTheRowDoesNotState() {
        try (StoreClient holder = database.client();
                StoreClient waiter = database.client()) {
            long held = holder.granted(NAME, 1).tokens().first();
            assertThat(waiter.acquire(waiter.request(NAME, 1).queued(Acquire.Queueing.FAIR, 0)))
                    .isInstanceOf(Acquire.Refused.class);
            database.run("GRANT SELECT ON holdfast_locks TO " + ROLE);
            database.run("SET ROLE " + ROLE);
            long unit = held >> 10;
            forge(waiter, "A 1 " + (unit + 5) + " 1 0 0 " + (unit + 3_600_000_000L) + " " + NAME);
            forge(waiter, "W " + NAME);
            Await.until(
                    "the later message has arrived",
                    () -> waiter.signals().stream().anyMatch(Signal.Wanted.class::isInstance));
            assertThat(assignments(waiter)).isEmpty();

            assertThat(holder.release(NAME, 1).held()).isTrue();
            Await.until(
                    "the row states an assignment", () -> !assignments(waiter).isEmpty());
            database.run("RESET ROLE");
            assertThat(assignments(waiter))
                    .singleElement()
                    .satisfies(assigned -> assertThat(List.of(assigned.tokens().last() >> 10))
                            .isEqualTo(database.column(
                                    "SELECT last_unit FROM holdfast_locks WHERE name = 'L" + NAME + "'::bytea")));
        }
    }
}
