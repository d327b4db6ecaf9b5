package io.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.DistributedLatch;
import io.holdfast.Holdfast;
import io.holdfast.testkit.Await;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Latches on a real server. */
class LatchTest {

    private static final String NAME = "loaded";
    private static final String LISTENERS = "hf:{" + NAME + "}:ll:" + NAME;
    private static final String LATCH = "hf:{" + NAME + "}:l:" + NAME;

    /** A waiter that is not told would ask only after most of this time. */
    private static final Duration POLL = Duration.ofSeconds(20);

    private final Servers servers = Servers.start();
    private final Holdfast first = client();
    private final Holdfast second = client();
    private final DistributedLatch here = first.countDownLatch(NAME);
    private final DistributedLatch there = second.countDownLatch(NAME);

    private Holdfast client() {
        return Holdfast.builder().uri(servers.uri()).pollInterval(POLL).build();
    }

    @AfterEach
    void nothingIsLeft() {
        here.delete();
        assertThat(servers.keysOf(NAME))
                .as("keys but those of what was in the last minute")
                .isSubsetOf("hf:{" + NAME + "}:ld:" + NAME, LATCH)
                .allSatisfy(key -> assertThat(servers.redis.pttl(key)).isBetween(1L, 60_000L));
        first.close();
        second.close();
        servers.close();
    }

    @Test
    void allWhoWaitAreToldAtOnce() {
        here.trySetCount(3, Duration.ofHours(1));
        assertThat(servers.redis.pttl(LATCH)).isBetween(3_600_000L, 3_660_000L);
        List<CompletableFuture<Void>> all = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            all.add((i % 2 == 0 ? here : there).async().await());
        }
        Await.until("both listen", () -> servers.redis.zcard(LISTENERS) == 2);
        here.countDown();
        there.countDown();
        assertThat(servers.calls("publish")).isZero();
        long began = System.nanoTime();
        there.countDown();
        all.forEach(CompletableFuture::join);
        assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(POLL.dividedBy(2));
        assertThat(servers.calls("publish")).isEqualTo(2);
        assertThat(here.count()).isZero();
        assertThat(servers.redis.pttl(LATCH)).isBetween(3_500_000L, 3_660_000L);
    }

    @Test
    void whoWaitsForALatchThatGoesIsToldAtOnce() {
        here.trySetCount(1);
        CompletableFuture<Void> waiting = there.async().await();
        Await.until("it listens", () -> servers.redis.zcard(LISTENERS) == 1);
        here.delete();
        assertThat(waiting)
                .failsWithin(POLL.dividedBy(2))
                .withThrowableThat()
                .havingCause()
                .isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(here::countDown).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void anOpenLatchWithoutALifeGoesInSevenDays() throws InterruptedException {
        here.trySetCount(1);
        assertThat(servers.redis.pttl(LATCH)).isEqualTo(-1);
        here.countDown();
        assertThat(servers.redis.pttl(LATCH)).isBetween(604_800_000L, 604_860_000L);
        there.await();
        here.reset(2);
        assertThat(servers.redis.pttl(LATCH)).isEqualTo(-1);
    }

    @Test
    void whoLeavesIsNotKept() throws InterruptedException {
        here.trySetCount(1);
        assertThat(there.await(Duration.ofMillis(100))).isFalse();
        Await.until("nobody listens", () -> servers.redis.exists(LISTENERS) == 0);
    }

    @Tag("ci")
    @Test
    void countsComeFromOtherProcessesAndWaitersMayDie() throws Exception {
        here.trySetCount(2);
        try (CountingProcess waiter = new CountingProcess(servers.uri(), "await", NAME);
                CountingProcess dead = new CountingProcess(servers.uri(), "await", NAME)) {
            Await.until("both listen", () -> servers.redis.zcard(LISTENERS) == 2);
            dead.kill();
            here.countDown(2);
            assertThat(waiter.end()).isZero();
        }
    }

    @Test
    void aWaitSurvivesALostConnection() {
        here.trySetCount(1);
        CompletableFuture<Void> waiting = there.async().await();
        Await.until("it listens", () -> servers.redis.zcard(LISTENERS) == 1);
        servers.cut();
        here.countDown();
        waiting.join();
        assertThat(here.count()).isZero();
    }
}
