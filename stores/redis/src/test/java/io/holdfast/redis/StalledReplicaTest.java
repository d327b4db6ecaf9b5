package io.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.Holdfast;
import io.holdfast.IndeterminateLockException;
import io.holdfast.Lease;
import io.holdfast.Safety;
import io.holdfast.testkit.Await;
import java.time.Duration;
import java.util.Arrays;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One of two replicas stands still: it holds up those who asked for it, and nobody else. */
@Tag("night")
class StalledReplicaTest {

    private static final Logger LOG = LoggerFactory.getLogger(StalledReplicaTest.class);
    private static final int PAIRS = 1_000;

    private final Servers master = Servers.start("--repl-diskless-sync-delay", "0");
    private final Servers replica = Servers.following(master);
    private final Servers stalled = Servers.following(master);

    @AfterEach
    void close() {
        replica.close();
        stalled.close();
        master.close();
    }

    private Holdfast connect(int replicas) {
        return Holdfast.builder()
                .uri(master.uri())
                .commandTimeout(Duration.ofSeconds(10))
                .safety(new Safety(replicas, false))
                .build();
    }

    @Test
    void itHoldsUpThoseWhoAskForIt() throws Exception {
        try (Holdfast none = connect(0);
                Holdfast one = connect(1);
                Holdfast both = connect(2)) {
            for (Holdfast client : new Holdfast[] {none, one, both}) {
                work("to begin with", client);
            }
            work("no replica", none);
            work("one of two replicas", one);
            work("both replicas", both);
            stalled.server.pause();
            work("no replica, one of two stalled", none);
            work("one of two replicas, the other one stalled", one);
            assertThatThrownBy(() -> both.lock("n").tryLock())
                    .isInstanceOf(IndeterminateLockException.class)
                    .hasMessageContaining("only 1 of 2 replicas have it");
            stalled.server.resume();
            Await.until("it is given back", () -> both.stats().unsettled() == 0);
            work("both replicas, as both run again", both);
        }
    }

    private static void work(String what, Holdfast client) throws InterruptedException {
        long[] nanos = new long[PAIRS];
        for (int i = 0; i < PAIRS; i++) {
            long start = System.nanoTime();
            try (Lease lease = client.lock("n").acquire()) {
                assertThat(lease.fencingToken()).isPositive();
            }
            nanos[i] = System.nanoTime() - start;
        }
        Arrays.sort(nanos);
        LOG.info("{}: p50 {} us, p99 {} us", what, nanos[PAIRS / 2] / 1_000, nanos[PAIRS * 99 / 100] / 1_000);
    }
}
