package io.holdfast.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.testkit.Await;
import io.holdfast.testservers.ZooKeeperServers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.apache.zookeeper.Watcher.Event.KeeperState;
import org.apache.zookeeper.ZooKeeper;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A client whose server is cut from its leader, and answers pings all the same. */
@Timeout(180)
class FollowerTest {

    /** Shorter than the time after which the server notices that it has no leader. */
    private static final Duration SESSION = Duration.ofSeconds(2);

    /** So that a busy machine leaves no server. */
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    private static final Duration SHORTEST_LEASE = Duration.ofSeconds(3);

    private final List<ZooKeeper> closing = new ArrayList<>();

    @AfterEach
    void close() throws InterruptedException {
        for (ZooKeeper witness : closing) {
            witness.close();
        }
    }

    @Test
    void pingsAloneDoNotKeepAHold() throws Exception {
        try (ZooKeeperServers ensemble = ZooKeeperServers.withIsolation();
                Holdfast behind = connect("127.0.0.1:" + ensemble.port(0));
                Holdfast other = connect("127.0.0.1:" + ensemble.port(1) + ",127.0.0.1:" + ensemble.port(2))) {
            DistributedLock lock = other.lock("follower");
            Lease held = acquired(behind.lock("follower"));
            Queue<KeeperState> states = new ConcurrentLinkedQueue<>();
            ZooKeeper witness =
                    ZooKeeperServers.client("127.0.0.1:" + ensemble.port(0), event -> states.add(event.getState()));
            assertThat(witness.exists("/holdfast", false)).isNotNull();
            closing.add(witness);

            ensemble.isolateFollower();
            Lease next = acquired(lock);

            assertThat(held.isValid()).as("valid beside the next grant").isFalse();
            assertThat(states).as("the server still answers pings").containsExactly(KeeperState.SyncConnected);
            assertThat(next.fencingToken()).isGreaterThan(held.fencingToken());
        }
    }

    /** A busy server may not answer an attempt in the time that the session leaves. */
    private static Lease acquired(DistributedLock lock) {
        List<Lease> leases = new ArrayList<>();
        Await.until("it acquires", () -> lease(lock).filter(leases::add).isPresent());
        return leases.get(0);
    }

    private static Optional<Lease> lease(DistributedLock lock) {
        try {
            return lock.tryAcquire(Duration.ofSeconds(20));
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private static Holdfast connect(String servers) {
        return Holdfast.builder()
                .uri(ZooKeeperServers.uri(servers, SESSION))
                .lease(SHORTEST_LEASE)
                .commandTimeout(PATIENCE)
                .build();
    }
}
