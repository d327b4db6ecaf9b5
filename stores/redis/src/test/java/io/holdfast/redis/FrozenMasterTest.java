package io.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LockEvent;
import io.holdfast.Safety;
import io.holdfast.embedded.redis.RedisServer;
import io.holdfast.testkit.Await;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A master is frozen until Sentinels have promoted another one, and then wakes. It goes on as the master, and confirms renewals,
 * until a Sentinel demotes it about ten seconds later. The lease ends at the other master meanwhile, unless it is renewed there.
 */
@Timeout(400)
class FrozenMasterTest {

    private static final Duration LEASE = Duration.ofSeconds(12);
    private static final int ATTEMPTS = 10;

    private final SentinelGroup group = new SentinelGroup();
    private final List<LockEvent> events = new CopyOnWriteArrayList<>();

    @AfterEach
    void close() {
        group.close();
    }

    private Holdfast connect(Safety safety) {
        return Holdfast.builder()
                .uri(group.uri())
                .lease(LEASE)
                .safety(safety)
                .listener(events::add)
                .build();
    }

    /** Returns {@code true} if the promotion came early enough for a renewal at the new master. */
    private boolean freezeUntilThePromotion() {
        RedisServer master = group.master();
        long start = System.nanoTime();
        master.pause();
        try {
            Await.until(
                    "another one is the master",
                    () -> group.agreed().filter(one -> one != master).isPresent());
        } finally {
            master.resume();
        }
        return System.nanoTime() - start < LEASE.dividedBy(3).toNanos();
    }

    private void assertOneHolder(Safety safety, long phaseMillis) throws InterruptedException {
        int attempts = 1;
        while (!isOneHolder(safety, phaseMillis)) {
            assertThat(attempts++).as("attempts without a promotion in time").isLessThan(ATTEMPTS);
        }
    }

    /** Returns {@code false} if the promotion came too late. */
    private boolean isOneHolder(Safety safety, long phaseMillis) throws InterruptedException {
        group.awaitReplicas();
        group.awaitNoTilt();
        events.clear();
        try (Holdfast holder = connect(safety);
                Holdfast other = connect(safety)) {
            Lease held = holder.lock("held").acquire();
            Thread.sleep(phaseMillis);
            if (!freezeUntilThePromotion()) {
                return false;
            }
            CompletableFuture<Optional<Lease>> second =
                    other.lock("held").async().tryAcquire(LEASE.plusSeconds(2));
            Await.until("a free name is granted", () -> isGranted(other));
            assertThat(second.join()).as("it is renewed at the new master").isEmpty();
            assertThat(held.isValid()).isTrue();
            assertThat(events).noneMatch(LockEvent.Lost.class::isInstance);
            held.close();
            return true;
        }
    }

    private static boolean isGranted(Holdfast client) {
        try (Lease lease = client.lock("free").tryAcquire().orElseThrow()) {
            return lease.isValid();
        } catch (RuntimeException e) {
            return false;
        }
    }

    @Test
    void keepsAHoldAtTheMasterThatHasReplacedAFrozenOne() throws InterruptedException {
        assertOneHolder(Safety.async(), 700);
    }

    /** The client has given its connection up before Sentinels promote another master, and connects to the frozen one again. */
    @Tag("ci")
    @Test
    void leavesAnAttemptToConnectToAMasterThatIsReplaced() {
        group.waitBeforeAFailover(Duration.ofSeconds(4));
        RedisServer master = group.master();
        try (Holdfast client = Holdfast.builder()
                .uri(group.uri())
                .commandTimeout(Duration.ofMillis(500))
                .connectTimeout(Duration.ofSeconds(100))
                .build()) {
            master.pause();
            Await.until(
                    "another one is the master",
                    () -> group.agreed().filter(one -> one != master).isPresent());
            Await.until("a free name is granted", () -> isGranted(client));
        } finally {
            master.resume();
        }
    }

    /** Within ten seconds, the period of the Sentinels; each of them at another time within the period of the renewals. */
    static LongStream phases() {
        return LongStream.range(0, 6).map(phase -> phase * 1_700);
    }

    @Tag("night")
    @ParameterizedTest
    @MethodSource("phases")
    void keepsAHoldInEachPhaseOfTheHeartbeat(long phaseMillis) throws InterruptedException {
        assertOneHolder(Safety.async(), phaseMillis);
    }

    @Tag("ci")
    @Test
    void keepsAReplicatedHoldAtTheMasterThatHasReplacedAFrozenOne() throws InterruptedException {
        assertOneHolder(Safety.replicated(1), 700);
    }

    @Tag("ci")
    @Test
    void asksTheSentinelsIfTheyReportNothing() throws InterruptedException {
        group.forbidSubscriptions();
        assertOneHolder(Safety.async(), 700);
    }
}
