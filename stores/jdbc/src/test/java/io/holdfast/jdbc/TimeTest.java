package io.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.spi.Acquire;
import io.holdfast.spi.Renew;
import io.holdfast.testkit.Await;
import io.holdfast.testkit.StoreClient;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The clock stands still in a transaction, also while it waits for its row. */
class TimeTest {

    private static final long HOUR = 3_600_000_000L;

    private final Databases database = Databases.memory();
    private final StoreClient client = database.client();

    @AfterEach
    void close() throws Exception {
        client.close();
        database.close();
    }

    private long now() {
        return client.release("clock", 999).serverMicros();
    }

    /** Starts a request that finds its row locked, unless its time is over before it looks. */
    private <T> CompletableFuture<T> blocked(Supplier<T> request) throws Exception {
        database.connection.setAutoCommit(false);
        database.run("SELECT * FROM holdfast_locks WHERE name = STRINGTOUTF8('Llock') FOR UPDATE");
        CompletableFuture<T> reply = CompletableFuture.supplyAsync(request);
        try (Databases another = database.again()) {
            Await.until(
                    "it waits for the row, or is answered",
                    () -> reply.isDone()
                            || !another.column("SELECT 1 FROM information_schema.sessions WHERE blocker_id IS NOT NULL")
                                    .isEmpty());
        }
        return reply;
    }

    private void unblock() throws Exception {
        database.connection.commit();
        database.connection.setAutoCommit(true);
    }

    @Test
    void aRequestThatWaitedIsLateWhenItsTimeIsOver() throws Exception {
        client.granted("lock", 1);
        client.release("lock", 1);
        long notAfter = now() + 100_000;
        CompletableFuture<Acquire.Reply> reply = blocked(() -> Await.reply(client.store()
                .acquire(Acquire.of("lock", client.tenure(2), StoreClient.LEASE).withNotAfter(notAfter))));
        Await.until("its time is over", () -> now() > notAfter);
        unblock();
        assertThat(Await.reply(reply)).isInstanceOf(Acquire.Late.class);
        assertThat(database.column("SELECT tenure FROM holdfast_locks WHERE name = STRINGTOUTF8('Llock')"))
                .containsOnlyNulls();
    }

    @Test
    void aRenewalThatWaitedDoesNotReviveAHoldThatHasEnded() throws Exception {
        client.granted("lock", 1);
        CompletableFuture<Renew.Reply> reply = blocked(() -> client.renew("lock", 1));
        long now = now();
        database.run("UPDATE holdfast_locks SET version = version + 1, expires_at = " + now
                + " WHERE name = STRINGTOUTF8('Llock')");
        unblock();
        assertThat(Await.reply(reply)).isInstanceOf(Renew.Lost.class);
    }

    @Test
    void aClockThatWasSetBackIsFollowed() {
        Acquire.Granted first = client.granted("lock", 1);
        client.release("lock", 1);
        database.run("UPDATE holdfast_locks SET last_unit = last_unit + " + HOUR);
        Acquire.Granted second = client.granted("lock", 2);
        assertThat(second.serverMicros()).isLessThan(first.serverMicros() + HOUR);
        assertThat(second.tokens().first()).isGreaterThan(first.tokens().last() + (HOUR << 10) - 1024);
        assertThat(client.renew(List.of(new Renew("lock", client.tenure(2), StoreClient.LEASE, 1))))
                .singleElement()
                .isInstanceOf(Renew.Renewed.class);
    }
}
