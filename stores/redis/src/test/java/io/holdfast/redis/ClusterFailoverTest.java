package io.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.redis.TestCluster.Node;
import io.holdfast.spi.Renew;
import io.holdfast.spi.Signal;
import io.holdfast.testkit.Await;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The replica of a master of a cluster takes its place. */
@Tag("once")
class ClusterFailoverTest {

    @Test
    void whatIsHeldIsToBeVerifiedAndTheOldMasterIsLeft() {
        try (TestCluster cluster = new TestCluster(1);
                TestClient client = TestClient.open(
                        cluster.uri(), TestClient.timeouts(Duration.ofMillis(300), Duration.ofSeconds(5)))) {
            String name = Servers.name();
            int slot = Layout.slot(name);
            Node old = cluster.keeper(slot);
            client.granted(name, 1);
            assertThat(client.arrived()).isEmpty();
            cluster.replica(old).cluster("FAILOVER");
            client.next(Signal.Gap.class);
            Await.until("the replica is asked", () -> client.renew(name, 1) instanceof Renew.Renewed);
            assertThat(cluster.keeper(slot)).isNotEqualTo(old);
            assertThat(client.release(name, 1).held()).isTrue();
            Await.until("nobody is connected to it", () -> !clients(old).contains("name=holdfast-"));
            assertThat(clients(cluster.keeper(slot))).contains("name=holdfast-");
        }
    }

    private static String clients(Node node) {
        return node.redis().clientList();
    }
}
