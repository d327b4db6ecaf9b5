package io.holdfast.etcd;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.testkit.StoreClient;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The requests that the server receives, one after the other. */
@Tag("etcd")
class RoundTripTest {

    private static final int PAIRS = 50;
    private static final int A_FEW = 10;

    /** Heartbeats that may occur meanwhile. */
    private static final int OTHERS = 3;

    /** So that no request is repeated on a busy machine. */
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private long began;
    private long before;

    private static StoreClient client() {
        return new StoreClient(
                new EtcdStoreProvider(), Servers.one().uri(), config -> config.withTimeouts(PATIENCE, PATIENCE));
    }

    private static long transactions() {
        return Servers.one().received(0, "Txn") + Servers.one().received(0, "Range");
    }

    private void count() {
        began = System.nanoTime();
        before = transactions();
    }

    private void assertCounted(long expected, int others) {
        long seconds = TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - began);
        assertThat(transactions() - before)
                .as("requests, with some heartbeats")
                .isBetween(expected, expected + others + seconds);
    }

    @Test
    void aPairIsOneRequestEachWhenTheNameWasUsedBefore() {
        try (StoreClient client = client()) {
            client.granted("pair", 1);
            client.release("pair", 1);
            count();
            for (int i = 2; i < PAIRS + 2; i++) {
                client.granted("pair", i);
                client.release("pair", i);
            }
            assertCounted(2L * PAIRS, OTHERS);
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
            count();
            for (int i = 0; i < PAIRS; i++) {
                client.granted("unknown" + i, i + 1);
                client.release("unknown" + i, i + 1);
            }
            assertCounted(3L * PAIRS, 2 * OTHERS);
        }
    }

    /** A hold is not renewed before that is due, although its session is confirmed for less than its lease. */
    @Test
    void aHoldOfSomeMillisecondsCostsNoMoreThanAPair() throws InterruptedException {
        try (Holdfast client = Holdfast.builder()
                .uri(Servers.one().uri())
                .commandTimeout(PATIENCE)
                .build()) {
            DistributedLock lock = client.lock("some-milliseconds");
            lock.acquire().close();
            count();
            for (int i = 0; i < A_FEW; i++) {
                try (Lease held = lock.acquire()) {
                    assertThat(held.isValid()).isTrue();
                    Thread.sleep(10);
                }
            }
            assertCounted(2L * A_FEW, OTHERS);
        }
    }
}
