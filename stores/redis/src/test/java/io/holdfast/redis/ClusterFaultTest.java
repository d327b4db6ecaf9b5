package io.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LockEvent;
import io.holdfast.StoreRefusedException;
import io.holdfast.StoreUnavailableException;
import io.holdfast.embedded.redis.RedisServer;
import io.holdfast.redis.TestCluster.Node;
import io.holdfast.redis.script.KeyLayout;
import io.holdfast.testkit.Await;
import io.holdfast.testkit.cluster.Ports;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What is wrong with a cluster, or with its URI. */
@Tag("ci")
class ClusterFaultTest {

    private static final Duration LEASE = Duration.ofSeconds(12);
    private static final int HELD = 100;

    @Test
    void aServerOfNoClusterIsRefused() {
        String place = "127.0.0.1:" + Servers.shared().server.port();
        assertThatThrownBy(() -> Holdfast.connect("redis-cluster://" + place).close())
                .isInstanceOf(StoreRefusedException.class)
                .hasMessageContainingAll(
                        "Redis at redis-cluster://" + place, "it belongs to no cluster; the URI is redis://host:port");
    }

    @Test
    void anAddressWhereNobodyListensIsNamed() {
        assertThatThrownBy(() -> Holdfast.connect("redis-cluster://127.0.0.1:1,127.0.0.1:2")
                        .close())
                .isInstanceOf(StoreUnavailableException.class)
                .hasMessageContainingAll("redis-cluster://127.0.0.1:1,127.0.0.1:2", "nothing listens there");
    }

    @Test
    void aNodeThatHasMetNobodyIsRefused() {
        try (RedisServer alone = RedisServer.start("--cluster-enabled", "yes", "--cluster-port", "" + Ports.free())) {
            assertThatThrownBy(() -> Holdfast.connect("redis-cluster://127.0.0.1:" + alone.port())
                            .close())
                    .isInstanceOf(StoreUnavailableException.class)
                    .hasMessageContainingAll("cannot connect", "no master keeps the slot 0; look at CLUSTER INFO");
        }
    }

    @Test
    void oneNodeThatAnswersIsEnough() throws InterruptedException {
        try (TestCluster cluster = new TestCluster(0);
                Holdfast client = Holdfast.connect("redis-cluster://127.0.0.1:1,127.0.0.1:2,127.0.0.1:3,127.0.0.1:4,"
                        + cluster.nodes.get(0).place());
                Lease lease =
                        client.lock(nameNotAt(cluster, cluster.nodes.get(0))).acquire()) {
            assertThat(lease.isValid()).isTrue();
        }
    }

    @Test
    void whatAClusterHasNotIsRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Holdfast.connect("redis-cluster://127.0.0.1:1/2"))
                .withMessageContainingAll(
                        "not a Redis URI", "redis-cluster://[user:password@]host[:port],host[:port]...");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Holdfast.connect("redis-cluster://127.0.0.1:1?interop=redisson"))
                .withMessageContaining("there is no option 'interop'");
    }

    @Test
    void oneNodeOfAClusterIsRefusedAsASingleServer() {
        try (TestCluster cluster = new TestCluster(0)) {
            Node node = cluster.nodes.get(0);
            assertThatThrownBy(() -> Holdfast.connect("redis://" + node.place()).close())
                    .isInstanceOf(StoreRefusedException.class)
                    .hasMessageContaining("it belongs to a cluster; the URI is redis-cluster://host:port,host:port...");
        }
    }

    /** One of three masters stands still, and then is killed: who has names at the others goes on. */
    @Test
    void aPartThatIsAwayDelaysNobodyElse() throws InterruptedException {
        Queue<LockEvent> trouble = new ConcurrentLinkedQueue<>();
        try (TestCluster cluster = new TestCluster(0, "--cluster-require-full-coverage", "no");
                Holdfast client = Holdfast.builder()
                        .uri(cluster.uri())
                        .lease(LEASE)
                        .listener(event -> {
                            if (event instanceof LockEvent.Lost || event instanceof LockEvent.RenewalLate) {
                                trouble.add(event);
                            }
                        })
                        .build()) {
            Node away = cluster.nodes.get(0);
            List<Lease> leases = new ArrayList<>();
            for (int i = 0; i < HELD; i++) {
                leases.add(client.lock(nameNotAt(cluster, away)).acquire());
            }
            Lease there = client.lock(nameAt(cluster, away)).acquire();
            away.server().pause();
            awaitRenewals(client);
            Await.until("the hold there is lost", () -> !there.isValid());
            assertThat(trouble).allMatch(event -> event.name().equals(there.name()));
            assertThat(leases).allMatch(Lease::isValid);
            away.server().kill();
            awaitRenewals(client);
            try (Lease another = client.lock(nameNotAt(cluster, away)).acquire()) {
                assertThat(another.isValid()).isTrue();
            }
            assertThat(trouble).allMatch(event -> event.name().equals(there.name()));
            assertThatThrownBy(() -> client.lock(there.name()).tryLock())
                    .isInstanceOf(StoreUnavailableException.class)
                    .hasMessageContaining(away.place());
            leases.forEach(Lease::close);
        }
    }

    private static void awaitRenewals(Holdfast client) {
        long before = client.stats().renewals();
        Await.until("all others are renewed", () -> client.stats().renewals() - before > HELD);
    }

    private static String nameAt(TestCluster cluster, Node node) {
        return name(cluster, node::equals);
    }

    private static String nameNotAt(TestCluster cluster, Node node) {
        return name(cluster, keeper -> !keeper.equals(node));
    }

    /** One whose keeper is there, and is such a one. */
    private static String name(TestCluster cluster, Predicate<Node> wanted) {
        return Stream.generate(Servers::name)
                .filter(name ->
                        cluster.keeperIfAny(KeyLayout.slot(name)).filter(wanted).isPresent())
                .findFirst()
                .orElseThrow();
    }
}
