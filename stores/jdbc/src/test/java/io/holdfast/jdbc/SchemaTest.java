package io.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.spi.StoreException;
import io.holdfast.spi.StoreException.Effect;
import io.holdfast.testkit.StoreClient;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SchemaTest {

    private static final String DAY = "86400000000";

    private final Databases database = Databases.memory();

    @AfterEach
    void close() throws Exception {
        database.close();
    }

    private void assertRefused(String url, String... texts) {
        assertThatThrownBy(() -> Databases.client(url).close())
                .isInstanceOfSatisfying(
                        StoreException.class, e -> assertThat(e.effect()).isEqualTo(Effect.REFUSED))
                .hasMessageContaining("H2 at jdbc:h2:")
                .hasMessageContainingAll(texts);
        assertThat(database.sessions()).isEqualTo(1);
    }

    @Test
    void theFirstClientsCreateTheTableTogether() throws Exception {
        CountDownLatch start = new CountDownLatch(1);
        List<CompletableFuture<StoreClient>> clients = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            clients.add(CompletableFuture.supplyAsync(() -> {
                try {
                    start.await();
                } catch (InterruptedException e) {
                    throw new AssertionError(e);
                }
                return database.client();
            }));
        }
        start.countDown();
        for (int i = 0; i < 5; i++) {
            try (StoreClient client = clients.get(i).get()) {
                assertThat(client.granted("lock" + i, 1).foreignWaiters()).isZero();
            }
        }
        assertThat(database.column("SELECT name FROM holdfast_locks ORDER BY name"))
                .containsExactly("lock0", "lock1", "lock2", "lock3", "lock4");
    }

    @Test
    void anotherTableOfThatNameIsRefused() {
        database.run("CREATE TABLE holdfast_locks (id INT)");
        assertRefused(database.url(), "table holdfast_locks has other columns");
        assertThat(database.column("SELECT COUNT(*) FROM holdfast_locks")).containsExactly(0L);
    }

    @Test
    void aUserWithoutRightsIsRefusedUntilTheyAreGranted() {
        database.run("CREATE USER app PASSWORD 'secret'");
        String url = database.url() + ";USER=app;PASSWORD=secret";
        assertRefused(url, "the user may not do that", "create table");
        database.client().close();
        assertRefused(url, "the user may not do that", "select, insert, update and delete");
        database.run("GRANT SELECT, INSERT, UPDATE, DELETE ON holdfast_locks TO app");
        try (StoreClient app = Databases.client(url)) {
            app.granted("lock", 1);
            assertThat(app.release("lock", 1).held()).isTrue();
        }
    }

    @Test
    void aWrongPasswordIsRefusedAndNotShown() {
        assertThatThrownBy(() -> Databases.client(database.url() + ";USER=app;PASSWORD=hidden")
                        .close())
                .isInstanceOfSatisfying(
                        StoreException.class, e -> assertThat(e.effect()).isEqualTo(Effect.REFUSED))
                .hasMessageContaining("does not accept user and password")
                .satisfies(e -> assertThat(e.toString()).doesNotContain("hidden"));
    }

    @Test
    void aFileThatForgetsCommitsIsRefused(@TempDir Path folder) throws Exception {
        try (Databases file = Databases.file(folder)) {
            file.client().close();
            file.run("SET WRITE_DELAY 500");
            String url = file.url().replace(";WRITE_DELAY=0", ";INIT=SET WRITE_DELAY 500");
            assertRefused(url, "WRITE_DELAY is", "it may forget locks", "SET WRITE_DELAY 0");
        }
    }

    @Test
    void namesThatNobodyUsedForAWeekAreSwept() {
        try (StoreClient client = database.client()) {
            for (String name : List.of("old", "young", "held")) {
                client.granted(name, 1);
            }
            client.release("old", 1);
            client.release("young", 1);
            String age = "UPDATE holdfast_locks SET expires_at = CASE WHEN tenure IS NULL THEN 0 ELSE expires_at END,"
                    + " decided_at = decided_at - %s * " + DAY + " WHERE name %s";
            database.run(String.format(age, "8", "<> 'young'"));
            database.run(String.format(age, "6", "= 'young'"));
            database.run(Sql.SWEEP);
        }
        assertThat(database.column("SELECT name FROM holdfast_locks ORDER BY name"))
                .containsExactly("held", "young");
    }
}
