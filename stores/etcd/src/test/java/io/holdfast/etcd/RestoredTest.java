package io.holdfast.etcd;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.spi.Acquire;
import io.holdfast.spi.Renew;
import io.holdfast.spi.StoreException;
import io.holdfast.testkit.Await;
import io.holdfast.testkit.StoreClient;
import io.holdfast.testkit.faults.Wire;
import io.holdfast.testservers.EtcdServers;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A client that was away while its server was restored from an earlier state, which has its session. */
@Tag("etcd")
class RestoredTest {

    private static final Duration SESSION = Duration.ofSeconds(20);

    /** More than the client has written since the backup. */
    private static final int WRITES = 100;

    private final EtcdServers ensemble = new EtcdServers(1);
    private final Wire wire = new Wire(ensemble.port(0));
    private final StoreClient client = new StoreClient(
            new EtcdStoreProvider(),
            "etcd://127.0.0.1:" + wire.port() + "?session=" + SESSION.toSeconds() + "s",
            c -> c);
    private final StoreClient other = new StoreClient(new EtcdStoreProvider(), ensemble.uri(SESSION), c -> c);

    @AfterEach
    void close() {
        client.close();
        other.close();
        wire.close();
        ensemble.close();
    }

    private boolean isLost(String name) {
        try {
            return client.renew(name, 1) instanceof Renew.Lost;
        } catch (StoreException e) {
            return false;
        }
    }

    /** Another client holds it, so no request may renew it. */
    private boolean isLostAtFirst(String name) {
        try {
            assertThat(client.renew(name, 1)).isInstanceOf(Renew.Lost.class);
            return true;
        } catch (StoreException e) {
            return false;
        }
    }

    @Test
    void endsItsSessionAlthoughOthersHaveWrittenPastIt() throws IOException {
        client.granted("held", 1);
        Acquire.Granted released = client.granted("released", 1);
        ensemble.backUp(0);
        Await.until("its heartbeat is written after the backup", client::isConnected);
        assertThat(client.release("released", 1).held()).isTrue();
        client.granted("later", 1);
        wire.blockRequests(true);
        wire.cut();
        ensemble.restore(0);
        Await.until("the other client writes again", other::isConnected);
        other.granted("later", 1);
        assertThat(other.acquire("released", 1)).as("it was held then").isInstanceOf(Acquire.Refused.class);
        AtomicLong number = new AtomicLong();
        while (number.get() < WRITES) {
            Await.until("a name is granted and released", () -> writes(other, number.incrementAndGet()));
        }
        wire.blockRequests(false);
        Await.until("the hold that is not in the backup is lost", () -> isLostAtFirst("later"));
        // its record and its session are in the backup, so it may be renewed until the next heartbeat ends the session
        Await.until("the hold is lost", () -> isLost("held"));
        AtomicReference<Acquire.Reply> next = new AtomicReference<>();
        Await.until("the name that was released after the backup is free", () -> {
            next.set(other.acquire("released", 1));
            return next.get() instanceof Acquire.Granted;
        });
        assertThat(((Acquire.Granted) next.get()).tokens().first())
                .isGreaterThan(released.tokens().last());
        Await.until("it has begun another session", client::isConnected);
        assertThat(client.release("held", 1).held()).isFalse();
        assertThat(client.refused("later", 2).holder()).contains(other.tenure(1).toString());
    }

    private static boolean writes(StoreClient client, long number) {
        try {
            return client.acquire("written", number) instanceof Acquire.Granted
                    && client.release("written", number).held();
        } catch (StoreException e) {
            return false;
        }
    }
}
