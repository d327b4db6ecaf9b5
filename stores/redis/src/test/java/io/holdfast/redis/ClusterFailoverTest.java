package io.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.redis.TestCluster.Node;
import io.holdfast.redis.script.KeyLayout;
import io.holdfast.spi.Renew;
import io.holdfast.spi.Signal;
import io.holdfast.testkit.Await;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The replica of a master of a cluster takes its place. */
@Tag("ci")
class ClusterFailoverTest {

    @Test
    void whatIsHeldIsToBeVerifiedAndTheOldMasterIsLeft() {
        try (TestCluster cluster = new TestCluster(1);
                TestClient client = TestClient.open(cluster.uri())) {
            String name = Servers.name();
            int slot = KeyLayout.slot(name);
            Node old = cluster.keeper(slot);
            client.granted(name, 1);
            assertThat(client.arrived()).isEmpty();
            cluster.replica(old).cluster("FAILOVER");
            client.next(Signal.Gap.class);
            Await.until("the replica is asked", () -> client.renew(name, 1) instanceof Renew.Renewed);
            assertThat(cluster.keeper(slot)).isNotEqualTo(old);
            assertThat(client.release(name, 1).held()).isTrue();
            assertNobodyComes(old);
            assertThat(clients(cluster.keeper(slot))).contains("name=holdfast-");
        }
    }

    /** A master that has died tells nobody that its slots have moved. */
    @Test
    void whatIsHeldIsToBeVerifiedWhenTheMasterHasDied() {
        try (TestCluster cluster = new TestCluster(1);
                TestClient client = TestClient.open(cluster.uri())) {
            String name = Servers.name();
            Node old = cluster.keeper(KeyLayout.slot(name));
            client.granted(name, 1);
            assertThat(client.arrived()).isEmpty();
            old.server().kill();
            assertThat(client.next(Signal.Gap.class).names()).accepts(name);
        }
    }

    /** It answers what it was asked before it reads what the other nodes tell it. */
    @Test
    void aMasterThatWakesAfterItWasReplacedGrantsNothing() throws InterruptedException {
        Duration patience = Duration.ofSeconds(8);
        try (TestCluster cluster = new TestCluster(1);
                Holdfast early = Holdfast.builder()
                        .uri(cluster.uri())
                        .commandTimeout(patience)
                        .build()) {
            String name = Servers.name();
            Node old = cluster.keeper(KeyLayout.slot(name));
            early.lock(name).acquire().close();
            old.server().pause();
            long asked = System.nanoTime();
            CompletableFuture<Optional<Lease>> late = early.lock(name).async().tryAcquire();
            try (Holdfast other = clientOfTheReplica(cluster, old);
                    Lease held = other.lock(name).acquire()) {
                // half of the command timeout, and what a busy machine takes to send the request
                Await.until(
                        "its answer is slow",
                        () -> System.nanoTime() - asked
                                > patience.dividedBy(4).multipliedBy(3).toNanos());
                old.server().resume();
                assertThat(late.handle((lease, error) -> error == null && lease.isPresent()))
                        .succeedsWithin(patience.multipliedBy(2))
                        .isEqualTo(false);
                assertThat(held.isValid()).isTrue();
            } finally {
                old.server().resume();
            }
        }
    }

    private static Holdfast clientOfTheReplica(TestCluster cluster, Node old) {
        Node replica = cluster.replica(old);
        Await.until(
                "the other masters name its replica",
                () -> cluster.masters()
                        .filter(node -> !node.equals(old))
                        .allMatch(node -> TestCluster.names(node, replica)));
        return Holdfast.connect(cluster.uri());
    }

    /** Who tries in vain does so every 155 ms at least. */
    private static void assertNobodyComes(Node node) {
        AtomicLong came = new AtomicLong();
        AtomicLong since = new AtomicLong(System.nanoTime());
        Await.until("nobody connects to it any more", () -> {
            long now = System.nanoTime();
            long all = connections(node);
            if (came.getAndSet(all) != all) {
                since.set(now);
            }
            return now - since.get() > 600_000_000;
        });
    }

    private static long connections(Node node) {
        return Long.parseLong(node.redis().info("stats").replaceAll("(?s).*total_connections_received:(\\d+).*", "$1"));
    }

    private static String clients(Node node) {
        return node.redis().clientList();
    }
}
