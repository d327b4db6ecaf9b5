package io.holdfast.zookeeper.connection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.holdfast.LockReport;
import io.holdfast.spi.Platform;
import io.holdfast.spi.StoreConfig;
import io.holdfast.spi.StoreException;
import io.holdfast.spi.StoreException.Effect;
import io.holdfast.support.session.ClockReading;
import io.holdfast.support.session.Node;
import io.holdfast.support.store.RecordKey;
import io.holdfast.support.store.RecordKey.Kind;
import io.holdfast.testkit.Await;
import io.holdfast.zookeeper.TestServer;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.ZooDefs.Perms;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.data.ACL;
import org.apache.zookeeper.data.Id;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A session whose node was deleted while nobody watched it. */
class ZooKeeperSessionTest {

    private static final String ID = "session";
    private static final Duration TIMEOUT = Duration.ofSeconds(10);
    private static final RecordKey KEY = new RecordKey(Kind.LOCK, "name");

    private final Paths paths = new Paths("/" + UUID.randomUUID());
    private final List<StoreException> ends = new CopyOnWriteArrayList<>();
    private ZooKeeper handle;
    private Requests requests;
    private ZooKeeperSession session;

    @BeforeEach
    void begin() throws IOException {
        Platform platform = Platform.system();
        handle = TestServer.client();
        requests = new Requests(handle, List.of(new ACL(Perms.ALL, new Id("world", "anyone"))));
        Heartbeat heartbeat = new Heartbeat(
                platform,
                ClockReading.of(platform),
                TIMEOUT,
                TIMEOUT.toNanos() / 10,
                Heartbeat.writes(requests, paths.session(ID)));
        session = new ZooKeeperSession(
                ID,
                TIMEOUT,
                requests,
                paths,
                new Failures("the servers"),
                heartbeat,
                StoreConfig.of("zookeeper://unused", LockReport.Client.unknown("test"), platform),
                ends::add);
        Await.reply(session.begin("who it is"));
    }

    @AfterEach
    void close() throws InterruptedException {
        handle.close();
    }

    private void deleteNode() {
        Await.reply(requests.delete(paths.session(ID)));
    }

    private void assertOver(CompletionStage<?> request) {
        assertOver(request, "somebody has deleted the node of the session");
    }

    private void assertOver(CompletionStage<?> request, String text) {
        StoreException failure = catchThrowableOfType(StoreException.class, () -> Await.reply(request));
        assertThat(failure).hasMessageContaining(text);
        assertThat(failure.effect()).isEqualTo(Effect.NOT_APPLIED);
        assertThat(ends).isNotEmpty();
    }

    private Node written() {
        Node absent = Await.reply(session.read(KEY));
        for (int i = 0;
                Await.reply(session.write(KEY, absent.version(), "first", List.of()))
                        .isEmpty();
                i++) {
            assertThat(i).as("writes that only make the folder").isZero();
        }
        return Await.reply(session.read(KEY));
    }

    @Test
    void refusesWriteAndEnds() {
        Node before = written();
        deleteNode();
        assertOver(session.write(KEY, before.version(), "second", List.of()));
        assertThat(Await.reply(session.read(KEY)).text()).contains("first");
    }

    @Test
    void refusesCreationAndEnds() {
        Node absent = Await.reply(session.read(KEY));
        deleteNode();
        assertOver(session.write(KEY, absent.version(), "first", List.of()));
        assertThat(Await.reply(session.read(KEY)).text()).isEmpty();
    }

    @Test
    void endsWithItsNextHeartbeat() {
        deleteNode();
        assertOver(session.confirm());
    }

    /** A backup has the node as it was before some heartbeats. */
    @Test
    void endsIfTheServersHaveAnEarlierStateOfItsNode() {
        Await.reply(session.confirm());
        deleteNode();
        Await.reply(requests.create(paths.session(ID), new byte[0], CreateMode.PERSISTENT));
        assertOver(session.confirm(), "the servers have an earlier state of the session");
    }
}
