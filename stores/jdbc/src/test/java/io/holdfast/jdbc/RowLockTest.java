package io.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.spi.Renew;
import io.holdfast.spi.StoreException;
import io.holdfast.spi.StoreException.Effect;
import io.holdfast.testkit.Await;
import io.holdfast.testkit.StoreClient;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A transaction of somebody else that keeps the row of a lock. */
class RowLockTest {

    private final Databases database = Databases.memory();
    private final StoreClient client = database.client();

    @BeforeEach
    void keepARow() throws Exception {
        client.granted("kept", 1);
        client.granted("other", 2);
        client.granted("free", 3);
        client.release("free", 3);
        database.connection.setAutoCommit(false);
        database.run("SELECT * FROM holdfast_locks WHERE name IN (STRINGTOUTF8('Lkept'), STRINGTOUTF8('Lfree'))"
                + " FOR UPDATE");
    }

    @AfterEach
    void close() throws Exception {
        client.close();
        database.close();
    }

    @Test
    void holdsUpNoOtherRenewal() throws Exception {
        List<Renew> batch = List.of(
                new Renew("kept", client.tenure(1), StoreClient.LEASE, 0),
                new Renew("other", client.tenure(2), StoreClient.LEASE, 0),
                new Renew("lost", client.tenure(3), StoreClient.LEASE, 0));
        List<Renew.Reply> replies = client.renew(batch);
        assertThat(replies.get(0))
                .isInstanceOfSatisfying(
                        Renew.Failed.class,
                        failed -> assertThat(failed.cause())
                                .hasMessageContainingAll("update 'kept'", "locked by another transaction"));
        assertThat(replies.get(1)).isInstanceOf(Renew.Renewed.class);
        assertThat(replies.get(2)).isInstanceOf(Renew.Lost.class);
        database.connection.commit();
        assertThat(client.renew(batch).get(0)).isInstanceOf(Renew.Renewed.class);
    }

    /** One with patience: the first request is to wait for the row still when the last begins to. */
    @Test
    void keepsNoRenewalWaitingForAConnection() throws Exception {
        try (StoreClient patient = new StoreClient(
                new JdbcStoreProvider(),
                database.url(),
                config -> config.withTimeouts(Duration.ofSeconds(40), config.connectTimeout()))) {
            patient.granted("mine", 1);
            List<CompletableFuture<Void>> stuck = new ArrayList<>();
            for (int i = 0; i < 9; i++) {
                stuck.add(CompletableFuture.runAsync(() -> patient.start("free", 2), task -> new Thread(task).start()));
            }
            try (Databases another = database.again()) {
                Await.until(
                        "some wait for the row",
                        () -> !another.column("SELECT 1 FROM information_schema.sessions WHERE blocker_id IS NOT NULL")
                                .isEmpty());
            }
            assertThat(patient.renew("mine", 1)).isInstanceOf(Renew.Renewed.class);
            assertThat(stuck).noneMatch(CompletableFuture::isDone);
            database.connection.commit();
            stuck.forEach(Await::reply);
        }
    }

    @Test
    void leavesNoConnectionBehindThatIsInUseAtTheClose() throws Exception {
        StoreClient closed = new StoreClient(
                new JdbcStoreProvider(),
                database.url(),
                config -> config.withTimeouts(Duration.ofSeconds(40), config.connectTimeout()));
        try (Databases another = database.again()) {
            new Thread(() -> closed.start("free", 2)).start();
            Await.until(
                    "it waits for the row",
                    () -> !another.column("SELECT 1 FROM information_schema.sessions WHERE blocker_id IS NOT NULL")
                            .isEmpty());
            closed.close();
            client.close();
            database.connection.commit();
            Await.until(
                    "only the connections of this test are open",
                    () -> another.column("SELECT 1 FROM information_schema.sessions")
                                    .size()
                            == 2);
        }
    }

    @Test
    void isAwaitedOnceForAllLocksOfABatch() {
        List<Renew> batch = new ArrayList<>();
        for (int i = 100; i < 120; i++) {
            client.granted("lock" + i, i);
            batch.add(new Renew("lock" + i, client.tenure(i), StoreClient.LEASE, 0));
        }
        database.run(
                "SELECT * FROM holdfast_locks WHERE name >= STRINGTOUTF8('Llock') AND name < STRINGTOUTF8('Llock112') FOR UPDATE");
        List<Renew.Reply> replies = new ArrayList<>();
        Await.until("it is answered within the command timeout", () -> {
            long sent = System.nanoTime();
            replies.clear();
            replies.addAll(client.renew(batch));
            return System.nanoTime() - sent < client.config().commandTimeout().toNanos();
        });
        assertThat(replies.subList(0, 12)).allMatch(Renew.Failed.class::isInstance);
        assertThat(replies.subList(12, 20)).allMatch(Renew.Renewed.class::isInstance);
    }

    @Test
    void isNamedInTheErrorOfARequest() {
        assertThatThrownBy(() -> client.release("kept", 1))
                .isInstanceOfSatisfying(
                        StoreException.class, e -> assertThat(e.effect()).isEqualTo(Effect.NOT_APPLIED))
                .hasMessageContainingAll("H2 at jdbc:h2:mem:", "update 'kept'", "locked by another transaction");
        assertThat(client.release("other", 2).held()).isTrue();
    }
}
