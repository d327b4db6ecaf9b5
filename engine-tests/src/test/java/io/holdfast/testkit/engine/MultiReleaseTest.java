package io.holdfast.testkit.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import io.holdfast.LeaseLostException;
import io.holdfast.LockEvent;
import io.holdfast.recipes.MultiLease;
import io.holdfast.recipes.MultiLock;
import io.holdfast.spi.ForwardingStore;
import io.holdfast.spi.LockStore;
import io.holdfast.spi.Platform;
import io.holdfast.spi.Release;
import io.holdfast.spi.StoreException;
import io.holdfast.testkit.SimThread;
import io.holdfast.testkit.check.LeakChecker;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The release of a multi-lock at a store that answers each release after 60 ms. All members are released at once. */
class MultiReleaseTest extends VirtualTime {

    private static final Duration ANSWER = Duration.ofMillis(60);
    private static final Duration COMMAND = Duration.ofSeconds(2);

    @RegisterExtension
    final LeakChecker leaks = new LeakChecker().simulation(sim);

    private final Platform.Timer network = sim.timer("network");
    private final Holdfast slow = client("slow", options -> options.provider(provider(c -> new Slow(server.open(c)))));
    private final MultiLock three = of(3);
    private Set<String> refused = Set.of();
    private Set<String> unanswered = Set.of();
    private int underWay;
    private int mostUnderWay;

    private final class Slow extends ForwardingStore {

        Slow(LockStore store) {
            super(store);
        }

        @Override
        public CompletionStage<Release.Reply> release(Release request) {
            if (refused.contains(request.name())) {
                return CompletableFuture.failedStage(
                        new StoreException(StoreException.Effect.REFUSED, "a right is missing"));
            }
            mostUnderWay = Math.max(mostUnderWay, ++underWay);
            return unanswered.contains(request.name())
                    ? new CompletableFuture<>()
                    : super.release(request).thenCompose(this::late);
        }

        private CompletionStage<Release.Reply> late(Release.Reply reply) {
            CompletableFuture<Release.Reply> answer = new CompletableFuture<>();
            var unused = network.schedule(ANSWER.toNanos(), () -> {
                underWay--;
                answer.complete(reply);
            });
            return answer;
        }
    }

    /** The first answer of a server tells its time only. */
    @BeforeEach
    void firstContact() {
        slow.lock("0").lock();
        slow.lock("0").unlock();
    }

    @AfterEach
    void nothingIsLeft() {
        refused = Set.of();
        unanswered = Set.of();
        assertNothingIsLeft();
        network.close();
    }

    private MultiLock of(int members) {
        return MultiLock.of(
                IntStream.range(0, members).mapToObj(i -> slow.lock(name(i))).toList());
    }

    private static String name(int member) {
        return String.format("n%02d", member);
    }

    private static void assertFree(List<DistributedLock> locks) {
        assertThat(locks).noneMatch(DistributedLock::isLocked);
    }

    private Duration timeOf(SimThread.Body body) {
        Duration[] time = new Duration[1];
        start("timed", () -> {
                    Duration before = sim.elapsed();
                    body.run();
                    time[0] = sim.elapsed().minus(before);
                })
                .join();
        return time[0];
    }

    // ---- the time of one answer

    @ParameterizedTest
    @ValueSource(ints = {1, 3, 16})
    void unlocksInTheTimeOfOneAnswer(int members) {
        MultiLock lock = of(members);
        Duration[] time = new Duration[1];
        start("owner", () -> {
                    lock.lock();
                    Duration before = sim.elapsed();
                    lock.unlock();
                    time[0] = sim.elapsed().minus(before);
                    assertFree(lock.members());
                })
                .join();
        assertThat(time[0]).isEqualTo(ANSWER);
        assertThat(mostUnderWay).isEqualTo(members);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 3, 16})
    void closesALeaseInTheTimeOfOneAnswer(int members) throws InterruptedException {
        MultiLock lock = of(members);
        MultiLease blocking = lock.acquire();
        assertThat(timeOf(blocking::close)).isEqualTo(ANSWER);
        assertFree(lock.members());
        MultiLease async = lock.acquire();
        assertThat(timeOf(() -> sim.await(async.closeAsync()))).isEqualTo(ANSWER);
        assertFree(lock.members());
        assertThat(mostUnderWay).isEqualTo(members);
    }

    @Test
    void releasesWhatARefusedTryAcquiredInTheTimeOfOneAnswer() {
        MultiLock lock = of(16);
        b.lock(name(15)).lock();
        assertThat(timeOf(() -> assertThat(lock.tryLock()).isFalse())).isEqualTo(ANSWER);
        assertThat(timeOf(() -> assertThat(lock.tryAcquire()).isEmpty())).isEqualTo(ANSWER);
        assertThat(timeOf(() -> assertThat(sim.await(lock.async().tryAcquire())).isEmpty()))
                .isEqualTo(ANSWER);
        assertThat(mostUnderWay).isEqualTo(15);
        b.lock(name(15)).unlock();
    }

    @Test
    void waitsForOneCommandTimeoutWhenNothingIsAnswered() throws InterruptedException {
        unanswered = Set.of(name(0), name(1), name(2));
        assertThat(timeOf(() -> {
                    three.lock();
                    three.unlock();
                }))
                .isEqualTo(COMMAND);
        assertThat(events(LockEvent.ReleaseUnconfirmed.class)).hasSize(3);
        unanswered = Set.of();
        sim.runUntil(() -> slow.stats().unsettled() == 0, LONG);
        unanswered = Set.of(name(0), name(1), name(2));
        MultiLease lease = three.acquire();
        assertThat(timeOf(lease::close)).isEqualTo(COMMAND);
    }

    @Test
    void endsARefusedTryAfterOneCommandTimeoutWhenNoReleaseIsAnswered() {
        MultiLock lock = of(4);
        b.lock(name(3)).lock();
        List<SimThread.Body> tries = List.of(
                () -> assertThat(lock.tryLock()).isFalse(),
                () -> assertThat(lock.tryAcquire()).isEmpty(),
                () -> assertThat(sim.await(lock.async().tryAcquire())).isEmpty());
        for (SimThread.Body attempt : tries) {
            unanswered = Set.of(name(0), name(1), name(2));
            assertThat(timeOf(attempt)).isEqualTo(COMMAND);
            unanswered = Set.of();
            sim.runUntil(() -> slow.stats().unsettled() == 0, LONG);
        }
        b.lock(name(3)).unlock();
    }

    // ---- a member that fails

    @Test
    void releasesTheOthersWhenTheStoreRefusesOne() throws InterruptedException {
        refused = Set.of(name(1));
        Optional<MultiLease> lease = three.tryAcquire();
        assertThatThrownBy(lease.orElseThrow()::close)
                .isInstanceOfSatisfying(
                        LeaseLostException.class,
                        loss -> assertThat(loss.name()).isEqualTo(name(1)))
                .hasNoSuppressedExceptions();
        assertFree(List.of(slow.lock(name(0)), slow.lock(name(2))));
        refused = Set.of();
        sim.runFor(LEASE);
        three.lock();
        refused = Set.of(name(0), name(2));
        assertThatThrownBy(three::unlock)
                .isInstanceOf(LeaseLostException.class)
                .satisfies(loss -> assertThat(loss.getSuppressed()).hasSize(1));
        assertFree(List.of(slow.lock(name(1))));
        assertThat(three.holdCount()).isZero();
        sim.runFor(LEASE);
    }

    /** The loss of the second member is known, and that of the third is found by the release. */
    @Test
    void reportsEveryLossAndReleasesTheOthers() {
        three.lock();
        b.lock(name(1)).forceUnlock();
        sim.runReady();
        refused = Set.of(name(2));
        assertThatThrownBy(three::unlock)
                .isInstanceOf(LeaseLostException.class)
                .satisfies(loss -> assertThat(loss.getSuppressed()).hasSize(1));
        assertFree(List.of(slow.lock(name(0))));
        assertThat(events(LockEvent.Lost.class)).hasSize(2);
        sim.runFor(LEASE);
    }

    @Test
    void releasesTheOthersWhenOneWasUnlockedSeparately() {
        three.lock();
        slow.lock(name(1)).unlock();
        assertThatThrownBy(three::unlock)
                .isInstanceOf(IllegalMonitorStateException.class)
                .hasMessageContaining(name(1));
        assertFree(three.members());
    }

    // ---- interrupts, and the close of the client

    @Test
    void keepsAnInterruptAndReleasesAll() {
        SimThread owner = start("owner", () -> {
            three.lock();
            Thread.currentThread().interrupt();
            Duration before = sim.elapsed();
            three.unlock();
            assertThat(sim.elapsed().minus(before)).isEqualTo(ANSWER);
            assertThat(Thread.interrupted()).isTrue();
        });
        owner.join();
        assertFree(three.members());
    }

    @Test
    void endsWhenTheClientIsClosedDuringTheRelease() {
        unanswered = Set.of(name(0), name(1), name(2));
        SimThread owner = start("owner", () -> {
            three.lock();
            Duration before = sim.elapsed();
            three.unlock();
            assertThat(sim.elapsed().minus(before)).isEqualTo(COMMAND);
        });
        sim.runUntil(() -> underWay == 3, LONG);
        slow.close();
        owner.join();
        sim.runFor(LEASE);
    }
}
