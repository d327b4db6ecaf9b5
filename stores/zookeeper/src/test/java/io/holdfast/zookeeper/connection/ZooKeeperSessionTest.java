package io.holdfast.zookeeper.connection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.holdfast.LockReport;
import io.holdfast.spi.Platform;
import io.holdfast.spi.Signal;
import io.holdfast.spi.StoreConfig;
import io.holdfast.spi.StoreException;
import io.holdfast.spi.StoreException.Effect;
import io.holdfast.spi.TenureId;
import io.holdfast.support.record.Notice;
import io.holdfast.support.record.Party;
import io.holdfast.support.session.ClockReading;
import io.holdfast.support.session.Node;
import io.holdfast.support.store.RecordKey;
import io.holdfast.support.store.RecordKey.Kind;
import io.holdfast.testkit.Await;
import io.holdfast.zookeeper.TestServer;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.ZooDefs;
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
        handle = TestServer.client();
        requests = new Requests(handle, List.of(new ACL(Perms.ALL, new Id("world", "anyone"))));
        session = session(Heartbeat.writes(requests, paths.session(ID)));
        Await.reply(session.begin("who it is"));
    }

    private ZooKeeperSession session(Supplier<CompletionStage<?>> heartbeats) {
        return session(paths, heartbeats);
    }

    private ZooKeeperSession session(Paths below, Supplier<CompletionStage<?>> heartbeats) {
        Platform platform = Platform.system();
        Heartbeat heartbeat =
                new Heartbeat(platform, ClockReading.of(platform), TIMEOUT, TIMEOUT.toNanos() / 10, heartbeats);
        return new ZooKeeperSession(
                ID,
                TIMEOUT,
                requests,
                below,
                new Failures("the servers"),
                heartbeat,
                StoreConfig.of("zookeeper://unused", LockReport.Client.unknown("test"), platform),
                ends::add);
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

    /** An assignment that arrives after the answer may have been sent at any time since the heartbeat was sent. */
    @Test
    void provesTheTimeAtWhichTheHeartbeatUnderWayWasSent() {
        Queue<CompletableFuture<Object>> writes = new ConcurrentLinkedQueue<>();
        ZooKeeperSession slow = session(() -> {
            CompletableFuture<Object> write = new CompletableFuture<>();
            writes.add(write);
            return write;
        });
        CompletionStage<Void> one = slow.confirm();
        long sent = System.nanoTime();
        CompletionStage<Void> other = slow.confirm();
        assertThat(writes).hasSize(1);
        writes.remove().complete(true);
        Await.reply(one);
        Await.reply(other);
        assertThat(slow.proven() - sent).isNegative();
        assertThat(slow.asked()).isEqualTo(slow.proven());
    }

    /** All together exceed the size of a request, for which a server closes the connection. */
    @Test
    void writesBesideMoreMessagesThanARequestCarries() {
        RecordKey longest = new RecordKey(Kind.LOCK, "\u20ac".repeat(170));
        String receiver = "receiver";
        Await.reply(requests.ensure(paths.inbox(receiver), new byte[0], CreateMode.PERSISTENT));
        Await.reply(requests.ensure(paths.session(receiver), new byte[0], CreateMode.EPHEMERAL));
        Party to = new Party("other", Optional.of(receiver));
        List<Notice> notices = new ArrayList<>(Collections.nCopies(1_000, new Notice(to, new Signal.Wanted("n"))));
        TenureId last = new TenureId("other", 1);
        notices.add(new Notice(to, new Signal.Revoked("n", last)));
        Node absent = Await.reply(session.read(longest));
        OptionalLong made = Await.reply(session.write(longest, absent.version(), "first", notices));
        // the first write only makes the folder
        assertThat(made.isPresent() ? made : Await.reply(session.write(longest, absent.version(), "first", notices)))
                .isPresent();
        Await.until(
                "all have arrived",
                () -> Await.reply(requests.get(paths.inbox(receiver)))
                                .orElseThrow()
                                .stat()
                                .getNumChildren()
                        == notices.size());
        assertThat(Await.reply(session.read(longest)).text()).contains("first");
    }

    @Test
    void saysWhichNodeRefusesToHaveTheRootBelowIt() throws Exception {
        String closed = "/" + UUID.randomUUID();
        handle.create(closed, new byte[0], ZooDefs.Ids.READ_ACL_UNSAFE, CreateMode.PERSISTENT);
        Paths below = new Paths(closed + "/apps/locks");
        ZooKeeperSession refused = session(below, Heartbeat.writes(requests, below.session(ID)));
        StoreException failure =
                catchThrowableOfType(StoreException.class, () -> Await.reply(refused.begin("who it is")));
        assertThat(failure).hasMessageContaining("the access list of the node does not allow it: " + closed + "/apps;");
        assertThat(failure.effect()).isEqualTo(Effect.REFUSED);
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
