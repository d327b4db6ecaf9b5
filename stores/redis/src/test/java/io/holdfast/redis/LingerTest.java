package io.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import io.holdfast.LockOptions;
import io.holdfast.testkit.Await;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A lock that is kept for the next owner, on a real server. */
class LingerTest {

    private static final Duration LINGER = Duration.ofSeconds(6);
    private static final LockOptions LINGERING = LockOptions.defaults().withLinger(LINGER);

    private final Servers servers = Servers.start();
    private final Holdfast a = Holdfast.connect(servers.uri());

    /** It does not poll during a test: each request that is refused is a signal to the holder. */
    private final Holdfast b = Holdfast.builder()
            .uri(servers.uri())
            .commandTimeout(Duration.ofSeconds(10))
            .pollInterval(Duration.ofSeconds(20))
            .build();

    private final DistributedLock lock = a.lock("n", LINGERING);
    private final DistributedLock other = b.lock("n");

    @BeforeEach
    void firstContact() {
        use(a.lock("n"));
        use(other);
        servers.redis.configResetstat();
    }

    @AfterEach
    void close() {
        a.close();
        b.close();
        assertThat(servers.redis.exists("n")).as("the lock").isZero();
        servers.close();
    }

    private static long use(DistributedLock lock) {
        lock.lock();
        long token = lock.fencingToken();
        lock.unlock();
        return token;
    }

    @Test
    void pairsOfOneClientAreTwoCommandsAndNoMessage() {
        long token = 0;
        for (int i = 0; i < 100; i++) {
            long next = use(lock);
            assertThat(next).isGreaterThan(token);
            token = next;
        }
        assertThat(servers.calls("evalsha")).as("acquire").isEqualTo(1);
        assertThat(HolderAnswers.holder(() -> b.inspect("n").holder()).owner()).contains("no owner (lingering)");
        long scripts = servers.calls("evalsha");
        long messages = servers.calls("publish");
        Await.until("it is released", () -> servers.redis.exists("n") == 0);
        Await.until("that is confirmed", () -> a.stats().unsettled() == 0);
        assertThat(servers.calls("evalsha") - scripts).as("release").isEqualTo(1);
        assertThat(servers.calls("publish")).isEqualTo(messages);
        assertThat(a.stats().retaken()).isEqualTo(99);
        assertThat(use(other)).isGreaterThan(token);
    }

    @Test
    void whoWantsItGetsItLongBeforeTheEnd() {
        Duration longest = Duration.ofSeconds(10);
        use(a.lock("n", LockOptions.defaults().withLinger(longest)));
        long began = System.nanoTime();
        use(other);
        assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(longest.dividedBy(2));
        assertThat(a.stats().signals()).isEqualTo(1);
    }

    @Test
    void anAttemptWithoutAWaitIsToldToo() {
        use(lock);
        boolean first = other.tryLock();
        Await.until("it is given back", () -> first || other.tryLock());
        other.unlock();
        assertThat(a.stats().signals()).isPositive();
    }

    @Test
    void besideRedissonNothingIsKept() {
        try (Holdfast beside = Holdfast.connect(servers.uri() + "?interop=redisson")) {
            for (int i = 0; i < 3; i++) {
                use(beside.lock("n", LINGERING));
                assertThat(servers.redis.exists("n")).isZero();
            }
            assertThat(beside.stats().retaken()).isZero();
        }
    }

    @Test
    void whatIsForcedFreeIsNotTakenAgain() {
        use(lock);
        assertThat(lock.forceUnlock()).isTrue();
        assertThat(other.tryLock()).isTrue();
        assertThat(lock.tryLock()).isFalse();
        other.unlock();
    }
}
