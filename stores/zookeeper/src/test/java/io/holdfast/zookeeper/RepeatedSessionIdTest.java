package io.holdfast.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.spi.Acquire;
import io.holdfast.spi.Renew;
import io.holdfast.spi.StoreException;
import io.holdfast.testkit.Await;
import io.holdfast.testkit.StoreClient;
import java.io.IOException;
import java.lang.reflect.Field;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.zookeeper.server.ServerCnxnFactory;
import org.apache.zookeeper.server.SessionTrackerImpl;
import org.apache.zookeeper.server.ZooKeeperServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A server that gives the id of an ended session to another one, as after a boot of its machine: it makes the ids from {@code
 * nanoTime}, which begins anew then.
 */
class RepeatedSessionIdTest {

    private static final int TICK_MILLIS = 200;
    private static final int CLIENTS = 100;

    @TempDir
    private Path folder;

    private ZooKeeperServer server;
    private ServerCnxnFactory factory;

    @BeforeEach
    void start() throws IOException, InterruptedException {
        server = new ZooKeeperServer(folder.toFile(), folder.toFile(), TICK_MILLIS);
        server.setMaxSessionTimeout(60_000);
        factory = ServerCnxnFactory.createFactory(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), CLIENTS);
        factory.startup(server);
    }

    @AfterEach
    void end() {
        factory.shutdown();
    }

    private StoreClient client() {
        return new StoreClient(
                new ZooKeeperStoreProvider(),
                "zookeeper://127.0.0.1:" + factory.getLocalPort() + "?session=10s&tick=" + TICK_MILLIS + "ms",
                config -> config);
    }

    private AtomicLong nextSessionId() throws ReflectiveOperationException {
        Field field = SessionTrackerImpl.class.getDeclaredField("nextSessionId");
        field.setAccessible(true);
        return (AtomicLong) field.get(server.getSessionTracker());
    }

    /** Returns the number of the session of a client at the server. */
    private long sessionId(StoreClient client) {
        String self = new String(
                server.getZKDatabase().getNode("/holdfast/n/" + client.id()).getData(), StandardCharsets.UTF_8);
        return Long.parseUnsignedLong(self.substring(0, self.indexOf('-')), 16);
    }

    private static boolean acquires(StoreClient client, String name, long number) {
        try {
            return client.acquire(name, number) instanceof Acquire.Granted;
        } catch (StoreException e) {
            return false;
        }
    }

    @Test
    void excludesOthersFromWhatTheLaterSessionHolds() throws ReflectiveOperationException {
        long first = nextSessionId().get();
        StoreClient dead = client();
        try (StoreClient other = client()) {
            dead.granted("early", 1);
            server.closeSession(first);
            Await.until("the session has ended", () -> other.acquire("early", 1) instanceof Acquire.Granted);
            dead.close();
            nextSessionId().set(first);
            try (StoreClient later = client()) {
                later.granted("late", 1);
                assertThat(server.getZKDatabase().getSessions()).contains(first);
                assertThat(other.acquire("late", 2)).isInstanceOf(Acquire.Refused.class);
            }
        }
    }

    /** What its former session held is lost, and what it holds now is not. */
    @Test
    void acquiresAgainIfALaterSessionOfTheSameClientHasTheId() throws ReflectiveOperationException {
        long first = nextSessionId().get();
        try (StoreClient client = client();
                StoreClient other = client()) {
            client.granted("own", 1);
            nextSessionId().set(first);
            server.closeSession(first);
            Await.until("it acquires in a later session", () -> acquires(client, "own", 2));
            assertThat(sessionId(client)).isEqualTo(first);
            assertThat(client.renew("own", 1)).isInstanceOf(Renew.Lost.class);
            assertThat(client.renew("own", 2)).isInstanceOf(Renew.Renewed.class);
            assertThat(other.acquire("own", 1)).isInstanceOf(Acquire.Refused.class);
            assertThat(client.release("own", 2).held()).isTrue();
        }
    }
}
