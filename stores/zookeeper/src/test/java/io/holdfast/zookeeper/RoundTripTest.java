package io.holdfast.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.testkit.StoreClient;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The requests that the server receives. Those that are sent together are one round trip. */
@Tag("everywhere")
class RoundTripTest {

    private static final int PAIRS = 50;
    private static final int A_FEW = 10;

    /** Heartbeats and pings, which may occur meanwhile. */
    private static final int OTHERS = 4;

    @Test
    void aPairIsOneRequestEachWhenTheNameWasUsedBefore() {
        try (StoreClient client =
                new StoreClient(new ZooKeeperStoreProvider(), Servers.one().uri(), config -> config)) {
            client.granted("pair", 1);
            client.release("pair", 1);
            long before = Servers.one().received(0);
            for (int i = 2; i < PAIRS + 2; i++) {
                client.granted("pair", i);
                client.release("pair", i);
            }
            assertThat(Servers.one().received(0) - before).isBetween(2L * PAIRS, 2L * PAIRS + OTHERS);
        }
    }

    /** A name that the client does not know: sync and two reads together, a write, and a write for the release. */
    @Test
    void aPairOfAnUnknownNameNeedsOneMoreRoundTrip() {
        try (StoreClient client = new StoreClient(
                        new ZooKeeperStoreProvider(), Servers.one().uri(), config -> config);
                StoreClient other = new StoreClient(
                        new ZooKeeperStoreProvider(), Servers.one().uri(), config -> config)) {
            for (int i = 0; i < PAIRS; i++) {
                other.granted("unknown" + i, i + 1);
                other.release("unknown" + i, i + 1);
            }
            long before = Servers.one().received(0);
            for (int i = 0; i < PAIRS; i++) {
                client.granted("unknown" + i, i + 1);
                client.release("unknown" + i, i + 1);
            }
            assertThat(Servers.one().received(0) - before).isBetween(5L * PAIRS, 5L * PAIRS + OTHERS);
        }
    }

    /** A hold is not renewed before that is due, although its session is confirmed for less than its lease. */
    @Test
    void aHoldOfSomeMillisecondsCostsNoMoreThanAPair() throws InterruptedException {
        try (Holdfast client = Holdfast.connect(Servers.one().uri())) {
            DistributedLock lock = client.lock("some-milliseconds");
            lock.acquire().close();
            long before = Servers.one().received(0);
            for (int i = 0; i < A_FEW; i++) {
                try (Lease held = lock.acquire()) {
                    assertThat(held.isValid()).isTrue();
                    Thread.sleep(10);
                }
            }
            assertThat(Servers.one().received(0) - before).isBetween(2L * A_FEW, 2L * A_FEW + OTHERS);
        }
    }
}
