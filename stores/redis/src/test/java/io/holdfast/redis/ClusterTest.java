package io.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.DistributedLatch;
import io.holdfast.DistributedSemaphore;
import io.holdfast.Holdfast;
import io.holdfast.LatchCount;
import io.holdfast.Lease;
import io.holdfast.LockEvent;
import io.holdfast.Permit;
import io.holdfast.redis.TestCluster.Node;
import io.holdfast.redis.connection.HelloReply;
import io.holdfast.redis.script.KeyLayout;
import io.holdfast.spi.Acquire;
import io.holdfast.spi.Release;
import io.holdfast.spi.Renew;
import io.holdfast.spi.Share;
import io.holdfast.spi.Share.Mode;
import io.holdfast.spi.Signal;
import io.holdfast.testkit.Await;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Names that are spread over the masters of a cluster, while slots move from one to another. */
class ClusterTest {

    private static final Logger LOG = LoggerFactory.getLogger(ClusterTest.class);
    private static final int HELD = Integer.getInteger("holdfast.locks", 200);

    private static TestCluster cluster;
    private static Node from;
    private static Node to;

    /** All that moves goes the same way: nodes that take slots from each other may not agree for a while who has the later word. */
    @BeforeAll
    static void start() {
        cluster = new TestCluster(0);
        from = cluster.nodes.get(0);
        to = cluster.nodes.get(1);
    }

    @AfterAll
    static void stop() {
        cluster.close();
    }

    private static TestClient open() {
        return TestClient.open(cluster.uri());
    }

    @ParameterizedTest
    @ValueSource(strings = {"a{b", "{}x", "x}y{z", "a}b", "{tag}rest", "}", "{", "{}", "é}ü", "plain"})
    void allKeysOfANameAreInItsSlot(String name) throws InterruptedException {
        try (Holdfast one = Holdfast.connect(cluster.uri());
                Holdfast other = Holdfast.connect(cluster.uri())) {
            try (Lease lock = one.lock(name).acquire()) {
                assertThat(other.lock(name).tryAcquire()).isEmpty();
                assertThat(lock.isValid()).isTrue();
            }
            try (Lease fair = one.fairLock(name).acquire()) {
                assertThat(other.fairLock(name).tryAcquire(Duration.ofMillis(20)))
                        .isEmpty();
                assertThat(fair.isValid()).isTrue();
            }
            try (Lease read = one.readWriteLock(name + "w").readLock().acquire();
                    Lease second = other.readWriteLock(name + "w").readLock().acquire()) {
                assertThat(one.readWriteLock(name + "w").writeLock().tryAcquire())
                        .isEmpty();
                assertThat(read.isValid() && second.isValid()).isTrue();
            }
            Lease write = one.readWriteLock(name + "w").writeLock().acquire();
            CompletableFuture<Lease> reader =
                    other.readWriteLock(name + "w").readLock().async().acquire();
            Await.until(
                    "it waits",
                    () -> !one.list(name + "w").isEmpty()
                            && !one.list(name + "w").get(0).waiters().isEmpty());
            write.close();
            assertThat(reader.join().isValid()).isTrue();
            assertThat(one.readWriteLock(name + "w").writeLock().forceUnlock()).isTrue();
            DistributedSemaphore semaphore = one.semaphore(name);
            semaphore.trySetPermits(1);
            try (Permit permit = semaphore.acquire()) {
                assertThat(other.semaphore(name).tryAcquire()).isEmpty();
                assertThat(permit.isValid()).isTrue();
                assertThat(other.listSemaphores(name))
                        .filteredOn(report -> report.name().equals(name))
                        .singleElement()
                        .satisfies(report -> assertThat(report.free()).isZero());
            }
            DistributedLatch latch = one.countDownLatch(name);
            latch.trySetCount(1);
            assertThat(other.listLatches(name)).contains(new LatchCount(name, 1));
            latch.countDown();
            assertThat(other.countDownLatch(name).await(Duration.ofSeconds(10))).isTrue();
        }
    }

    @Test
    void aRequestIsOneCommandAtOneNode() {
        try (TestClient client = open()) {
            String name = Servers.name();
            client.granted(name, 1);
            client.renew(name, 1);
            client.release(name, 1);
            long before = scripts();
            client.granted(name, 2);
            client.renew(name, 2);
            client.release(name, 2);
            assertThat(scripts() - before).isEqualTo(3);
        }
    }

    private static long scripts() {
        return cluster.masters()
                .map(node -> node.redis().info("commandstats"))
                .mapToLong(stats -> Servers.calls(stats, "evalsha") + Servers.calls(stats, "eval"))
                .sum();
    }

    @Test
    void aSlotThatMovesTakesHoldersAndWaitersAlong() {
        String name = cluster.nameAt(from);
        int slot = KeyLayout.slot(name);
        try (TestClient holder = open();
                TestClient waiter = open()) {
            long first = holder.granted(name, 1).tokens().last();
            long arrival = waiter.queued(name, 1).arrival();
            cluster.move(slot, from, to);
            // the channel of the slot is at another node now
            Signal.Gap gap = waiter.next(Signal.Gap.class);
            assertThat(gap.names().test(name)).isTrue();
            assertThat(gap.names().test(cluster.nameAt(from)))
                    .as("of another slot")
                    .isFalse();
            assertThat(waiter.queued(name, 1, arrival).arrival()).isEqualTo(arrival);
            assertThat(holder.renew(name, 1))
                    .isInstanceOfSatisfying(
                            Renew.Failed.class,
                            failed -> assertThat(failed.cause()).hasMessageContaining("migrating to another node"));
            assertThat(holder.renew(name, 1)).isInstanceOf(Renew.Renewed.class);
            assertThat(holder.assign(name, 1).held()).isTrue();
            assertThat(waiter.next(Signal.Assigned.class).tokens().first()).isGreaterThan(first);
            waiter.release(name, 1);
        }
    }

    @Test
    void whatScriptsTellStaysInTheSlot() {
        String name = cluster.nameAt(from);
        String beside = "{" + name + "}2";
        long everywhere = told("publish");
        long here = told("spublish");
        try (TestClient holder = open();
                TestClient waiter = open()) {
            holder.granted(name, 1);
            holder.granted(beside, 2);
            waiter.queued(name, 1);
            holder.assign(name, 1);
            assertThat(waiter.next(Signal.Assigned.class).tenure()).isEqualTo(waiter.tenure(1));
            assertThat(told("publish")).isEqualTo(everywhere);
            assertThat(told("spublish")).isGreaterThan(here);
            assertThat(channels(holder)).hasSize(1);
            assertThat(channels(waiter)).isNotEqualTo(channels(holder)).hasSize(1);
            waiter.release(name, 1);
            holder.release(beside, 2);
        }
    }

    private static long told(String command) {
        return cluster.masters()
                .mapToLong(node -> Servers.calls(node.redis().info("commandstats"), command))
                .sum();
    }

    /** Of slots, at the first master. */
    private static List<String> channels(TestClient client) {
        return from.redis().pubsubShardChannels("*" + client.id());
    }

    @Test
    void whoMayNotListenToSlotsPolls() throws Exception {
        String[] rights = MinimalRights.with(TestCluster.RIGHTS);
        cluster.masters().forEach(node -> Servers.allow(node.redis(), "deaf", without("+ssubscribe", rights)));
        String name = cluster.nameAt(from);
        try (Holdfast holder = Holdfast.connect(cluster.uri());
                Holdfast deaf = Holdfast.connect(cluster.uri().replace("://", "://deaf:secret@"))) {
            Lease lease = holder.lock(name).acquire();
            CompletableFuture<Lease> next = deaf.lock(name).async().acquire();
            Await.until("it waits", () -> holder.inspect(name).waiters().size() == 1);
            lease.close();
            Await.reply(next).close();
        }
    }

    private static String[] without(String one, String... all) {
        return Stream.of(all).filter(each -> !each.equals(one)).toArray(String[]::new);
    }

    @ParameterizedTest
    @CsvSource({
        "cluster, 7.0.15, true",
        "cluster, 10.1, true",
        "cluster, 6.2.11, false",
        "cluster, unknown, false",
        "standalone, 8.0.2, false"
    })
    void serversFromSevenOnKeepMessagesInTheirSlot(String mode, String version, boolean kept) {
        assertThat(new HelloReply(mode, "master", version).hasShardChannels()).isEqualTo(kept);
    }

    /** All nodes pass on what one publishes, and it is to come once. */
    @Test
    void aClientListensOnAnotherChannelAtEachNode() {
        try (TestClient client = open()) {
            List<String> channels = cluster.masters()
                    .flatMap(node -> node.redis().pubsubChannels("*" + client.id()).stream())
                    .toList();
            assertThat(channels).hasSize(TestCluster.MASTERS).doesNotHaveDuplicates();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"a{b", "{}x", "x}y{z", "a}b", "}", "{", "{}"})
    void aReaderIsServedWhateverTheName(String odd) throws Exception {
        InTime.run(unused -> isServed(odd));
    }

    private static void isServed(String name) {
        try (TestClient writer = open();
                TestClient reader = open()) {
            // an attempt before this one may have left it held
            Await.reply(writer.store().forceRelease(name));
            writer.acquire(Acquire.of(name, writer.tenure(1), TestClient.LEASE).withShare(Share.WRITE));
            reader.acquire(Acquire.of(name, reader.tenure(1), TestClient.LEASE)
                    .withShare(Share.READ)
                    .queued(Acquire.Queueing.BARGING, 0));
            Release release = Release.of(name, writer.tenure(1)).withMode(Mode.WRITE);
            assertThat(Await.reply(writer.store().release(release)).held()).isTrue();
            assertThat(reader.next(Signal.Assigned.class).mode()).isEqualTo(Mode.READ);
            assertThat(Await.reply(reader.store().forceRelease(name))).isPresent();
        }
    }

    /** It was made for the clock of another node. */
    @Test
    void aRequestThatIsSentOnIsAskedForAnew() {
        String name = cluster.nameAt(from);
        int slot = KeyLayout.slot(name);
        try (TestClient client = open()) {
            client.granted(name, 1);
            client.release(name, 1);
            cluster.move(slot, from, to);
            Acquire request = Acquire.of(name, client.tenure(2), TestClient.LEASE);
            assertThat(Await.reply(client.store().acquire(request))).isInstanceOf(Acquire.Late.class);
            assertThat(Await.reply(client.store().acquire(request))).isInstanceOf(Acquire.Granted.class);
        }
    }

    /** The name may be at another node by then, and nodes have clocks of their own. */
    @Test
    void aReplyThatTheEngineHearsSetsNoClock() {
        String name = cluster.nameAt(from);
        try (TestClient client = open()) {
            client.granted(name, 1);
            client.release(name, 1);
            long now = System.nanoTime();
            long before = client.store().clock(name).notAfter(now, Duration.ZERO);
            client.store().clock(name).observe(now, before + TimeUnit.HOURS.toMicros(1));
            assertThat(client.store().clock(name).notAfter(now, Duration.ZERO)).isEqualTo(before);
        }
    }

    @Test
    void manyLocksAreHeldWhileTheirSlotsMove() throws InterruptedException {
        Queue<LockEvent> trouble = new ConcurrentLinkedQueue<>();
        try (Holdfast client = Holdfast.builder()
                .uri(cluster.uri())
                .lease(Duration.ofSeconds(20))
                .listener(event -> {
                    if (event instanceof LockEvent.Lost || event instanceof LockEvent.RenewalLate) {
                        trouble.add(event);
                    }
                })
                .build()) {
            String prefix = Servers.name();
            List<Lease> leases = IntStream.range(0, HELD)
                    .mapToObj(i -> client.lock(prefix + "-" + i).tryAcquire().orElseThrow())
                    .toList();
            long renewals = client.stats().renewals();
            long began = System.nanoTime();
            List<Integer> slots = leases.stream()
                    .map(lease -> KeyLayout.slot(lease.name()))
                    .distinct()
                    .filter(slot -> cluster.keeper(slot).equals(from))
                    .toList();
            slots.forEach(slot -> cluster.move(slot, from, to));
            long moved = System.nanoTime();
            Await.until("all are renewed again", () -> client.stats().renewals() - renewals > HELD);
            LOG.info(
                    "{} held locks, {} slots moved in {} ms, {} renewals meanwhile and after",
                    HELD,
                    slots.size(),
                    (moved - began) / 1_000_000,
                    client.stats().renewals() - renewals);
            assertThat(trouble).isEmpty();
            assertThat(leases).allMatch(Lease::isValid);
            leases.forEach(Lease::close);
        }
    }
}
