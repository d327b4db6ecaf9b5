package io.holdfast.etcd;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.testkit.StoreClient;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The requests that the server receives, one after the other. */
@Tag("etcd")
class RoundTripTest {

    private static final int PAIRS = 50;
    private static final int A_FEW = 10;

    /** Heartbeats that may occur meanwhile. */
    private static final int OTHERS = 3;

    private static StoreClient client() {
        return new StoreClient(new EtcdStoreProvider(), Servers.one().uri(), config -> config);
    }

    private static long transactions() {
        return Servers.one().received(0, "Txn") + Servers.one().received(0, "Range");
    }

    @Test
    void aPairIsOneRequestEachWhenTheNameWasUsedBefore() {
        try (StoreClient client = client()) {
            client.granted("pair", 1);
            client.release("pair", 1);
            long before = transactions();
            for (int i = 2; i < PAIRS + 2; i++) {
                client.granted("pair", i);
                client.release("pair", i);
            }
            assertThat(transactions() - before).isBetween(2L * PAIRS, 2L * PAIRS + OTHERS);
        }
    }

    /** A name that the client does not know is read first. */
    @Test
    void aPairOfAnUnknownNameNeedsOneMore() {
        try (StoreClient client = client();
                StoreClient other = client()) {
            for (int i = 0; i < PAIRS; i++) {
                other.granted("unknown" + i, i + 1);
                other.release("unknown" + i, i + 1);
            }
            long before = transactions();
            for (int i = 0; i < PAIRS; i++) {
                client.granted("unknown" + i, i + 1);
                client.release("unknown" + i, i + 1);
            }
            assertThat(transactions() - before).isBetween(3L * PAIRS, 3L * PAIRS + 2 * OTHERS);
        }
    }

    /** A hold is not renewed before that is due, although its session is confirmed for less than its lease. */
    @Test
    void aHoldOfSomeMillisecondsCostsNoMoreThanAPair() throws InterruptedException {
        try (Holdfast client = Holdfast.connect(Servers.one().uri())) {
            DistributedLock lock = client.lock("some-milliseconds");
            lock.acquire().close();
            long before = transactions();
            for (int i = 0; i < A_FEW; i++) {
                try (Lease held = lock.acquire()) {
                    assertThat(held.isValid()).isTrue();
                    Thread.sleep(10);
                }
            }
            assertThat(transactions() - before).isBetween(2L * A_FEW, 2L * A_FEW + OTHERS);
        }
    }
}
