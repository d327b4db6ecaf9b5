package io.holdfast.zookeeper.connection;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.spi.Acquire;
import io.holdfast.spi.Platform;
import io.holdfast.support.store.RecordKey;
import io.holdfast.support.store.RecordKey.Kind;
import io.holdfast.testkit.Await;
import io.holdfast.testkit.StoreClient;
import io.holdfast.zookeeper.TestServer;
import io.holdfast.zookeeper.ZooKeeperStoreProvider;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.ZooKeeper;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class SweepTest {

    private static final Paths PATHS = new Paths("/sweep/holdfast");
    private static final List<Integer> ALL =
            IntStream.range(0, Paths.FOLDERS).boxed().toList();

    private final Platform.Timer timer = Platform.system().timer("sweep");
    private final Sweep sweep =
            new Sweep(Platform.system(), timer, PATHS, Duration.ofSeconds(30), () -> Optional.empty());
    private final StoreClient client = open();
    private ZooKeeper handle;
    private Requests requests;

    private static StoreClient open() {
        return new StoreClient(new ZooKeeperStoreProvider(), TestServer.uri("/sweep"), config -> config);
    }

    @BeforeEach
    void connect() throws IOException {
        handle = TestServer.client();
        requests = new Requests(
                handle,
                new Settings("", Optional.empty(), "", Duration.ofSeconds(30), Duration.ofSeconds(2), Map.of()).acl());
    }

    @AfterEach
    void close() throws InterruptedException {
        client.close();
        handle.close();
        timer.close();
    }

    private void pass() {
        Await.reply(sweep.pass(requests, ALL));
    }

    private boolean exists(String path) {
        return Await.reply(requests.exists(path));
    }

    private static String path(String name) {
        return PATHS.record(new RecordKey(Kind.LOCK, name));
    }

    @Test
    void aRecordThatWasSeenUnusedTwiceIsDeletedAndTokensRise() {
        Acquire.Granted before = client.granted("unused", 1);
        client.release("unused", 1);
        pass();
        assertThat(exists(path("unused"))).isTrue();
        pass();
        assertThat(exists(path("unused"))).isFalse();
        // a client whose clock is far behind
        try (StoreClient late = new StoreClient(
                new ZooKeeperStoreProvider(), TestServer.uri("/sweep"), config -> config.withPlatform(inThePast()))) {
            Acquire.Granted after = (Acquire.Granted) late.acquire("unused", 1);
            assertThat(after.tokens().first()).isGreaterThan(before.tokens().last());
        }
    }

    /** A platform whose wall clock shows 1970. */
    private static Platform inThePast() {
        return (Platform) Proxy.newProxyInstance(
                SweepTest.class.getClassLoader(),
                new Class<?>[] {Platform.class},
                (proxy, method, arguments) ->
                        method.getName().equals("wallMillis") ? 0L : method.invoke(Platform.system(), arguments));
    }

    @Test
    void aRecordThatWasUsedMeanwhileStays() {
        client.granted("used", 1);
        client.release("used", 1);
        pass();
        client.granted("used", 2);
        client.release("used", 2);
        pass();
        assertThat(exists(path("used"))).isTrue();
    }

    @Test
    void aRecordThatIsHeldOrCannotBeReadStays() {
        client.granted("held", 1);
        String foreign = path("foreign");
        Await.reply(
                requests.ensure(PATHS.folder(new RecordKey(Kind.LOCK, "foreign")), new byte[0], CreateMode.PERSISTENT));
        Await.reply(requests.ensure(
                foreign, "another program".getBytes(java.nio.charset.StandardCharsets.UTF_8), CreateMode.PERSISTENT));
        pass();
        pass();
        assertThat(exists(path("held"))).isTrue();
        assertThat(exists(foreign)).isTrue();
    }

    @Test
    void aRecordOfADeadClientOrOfAClosedLatchIsDeleted() {
        StoreClient dead = open();
        dead.acquire(dead.request("left", 1).withLease(Duration.ofSeconds(1)));
        dead.close();
        pass();
        pass();
        assertThat(exists(path("left"))).isFalse();
    }

    @Test
    void allUnusedRecordsOfAFolderAreDeletedInOnePass() {
        String folder = PATHS.folder(new RecordKey(Kind.LOCK, "together-0"));
        List<String> names = IntStream.iterate(0, i -> i + 1)
                .mapToObj(i -> "together-" + i)
                .filter(name -> PATHS.folder(new RecordKey(Kind.LOCK, name)).equals(folder))
                .limit(3)
                .toList();
        for (String name : names) {
            client.granted(name, 1);
            client.release(name, 1);
        }
        pass();
        assertThat(names).allMatch(name -> exists(path(name)));
        pass();
        assertThat(names).noneMatch(name -> exists(path(name)));
    }

    @Test
    void aClientThatClosesLeavesNoInbox() {
        try (StoreClient brief = open()) {
            brief.granted("brief", 1);
            brief.release("brief", 1);
        }
        Await.until(
                "each inbox has its session",
                () -> Set.copyOf(Await.reply(requests.children(PATHS.sessions())))
                        .containsAll(inboxesOfSessions()));
    }

    private List<String> inboxesOfSessions() {
        return Await.reply(requests.children(PATHS.inboxes())).stream()
                .filter(name -> name.contains("-"))
                .toList();
    }

    @Test
    void theInboxOfAnEndedSessionIsDeletedAndThoseOfOthersStay() {
        int others = Await.reply(requests.children(PATHS.sessions())).size();
        String orphan = PATHS.inbox("dead");
        Await.reply(requests.ensure(orphan, new byte[0], CreateMode.PERSISTENT));
        Await.reply(requests.ensure(orphan + "/F x-0000000001", new byte[0], CreateMode.PERSISTENT));
        pass();
        assertThat(exists(orphan)).isTrue();
        pass();
        assertThat(exists(orphan)).isFalse();
        assertThat(Await.reply(requests.children(PATHS.inboxes()))).hasSizeGreaterThanOrEqualTo(others);
    }

    @Test
    void thePauseIsLongerThanAnyRequest() {
        assertThat(sweep.pause()).isEqualTo(Duration.ofMinutes(10));
        Sweep slow = new Sweep(Platform.system(), timer, PATHS, Duration.ofMinutes(20), () -> Optional.empty());
        assertThat(slow.pause()).isEqualTo(Duration.ofMinutes(40));
    }
}
