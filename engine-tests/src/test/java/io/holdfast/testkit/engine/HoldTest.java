package io.holdfast.testkit.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.DistributedLock;
import io.holdfast.Lease;
import io.holdfast.LeaseLostException;
import io.holdfast.LockTimeoutException;
import io.holdfast.spi.Signal;
import io.holdfast.testkit.SimThread;
import io.holdfast.testkit.faults.Held;
import io.holdfast.testkit.faults.Operation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The ordinary life of a hold, and what it costs. */
@Tag("everywhere")
class HoldTest extends VirtualTime {

    private final DistributedLock lock = a.lock("n");

    @AfterEach
    void nothingIsLeft() {
        assertNothingIsLeft();
    }

    private void firstContact() {
        lock.lock();
        lock.unlock();
    }

    @Test
    void whoOnlyTriesTakesNoPlaceAlsoWhenItsFirstGrantIsInDoubt() {
        a.lock("other").lock();
        a.lock("other").unlock();
        Held doubtful = faults(a).holdReply(Operation.ACQUIRE);
        SimThread tries = start("tries", () -> assertThat(a.lock("n").tryLock()).isFalse());
        sim.runUntil(doubtful::isCaught, LONG);
        sim.stepWallClock(Duration.ofSeconds(5));
        Held second = faults(a).holdRequest(Operation.ACQUIRE);
        sim.runFor(Duration.ofMillis(10));
        doubtful.letGo();
        sim.runUntil(second::isCaught, LONG);
        b.lock("n").lock();
        Held wanted = faults(b).holdSignal(Signal.Wanted.class);
        second.letGo();
        tries.join();
        sim.runFor(Duration.ofMillis(10));

        assertThat(wanted.isCaught()).isFalse();
        b.lock("n").unlock();
    }

    @Test
    void acquireReenterAndReleaseCostOneNoneAndOneStoreCall() {
        firstContact();
        long before = calls(a);
        lock.lock();
        assertThat(calls(a) - before).isEqualTo(1);
        lock.lock();
        lock.unlock();
        assertThat(calls(a) - before).isEqualTo(1);
        lock.unlock();
        assertThat(calls(a) - before).isEqualTo(2);
    }

    @Test
    void anotherClientIsKeptOut() throws InterruptedException {
        lock.lock();
        assertThat(b.lock("n").tryLock()).isFalse();
        assertThat(b.lock("n").tryAcquire(Duration.ofSeconds(3))).isEmpty();
        lock.unlock();
        assertThat(b.lock("n").tryLock()).isTrue();
        b.lock("n").unlock();
    }

    @Test
    void anotherThreadIsKeptOutWithoutAStoreCall() {
        lock.lock();
        long before = calls(a);
        SimThread other = start("other", () -> assertThat(lock.tryLock()).isFalse());
        other.join();
        assertThat(calls(a)).isEqualTo(before);
        lock.unlock();
    }

    @Test
    void aLocalHandoffMakesNoStoreCallAndItsTokenRises() {
        firstContact();
        lock.lock();
        long first = lock.fencingToken();
        List<Long> tokens = new ArrayList<>();
        List<SimThread> threads = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            threads.add(start("t" + i, () -> {
                lock.lock();
                tokens.add(lock.fencingToken());
                lock.unlock();
            }));
        }
        sim.runReady();
        assertThat(a.stats().waiting()).isEqualTo(50);
        assertThat(a.inspect("n").waiters()).isEmpty();
        long before = calls(a);
        lock.unlock();
        threads.forEach(SimThread::join);
        assertThat(tokens).isSorted().doesNotHaveDuplicates().hasSize(50);
        assertThat(tokens.get(0)).isGreaterThan(first);
        assertThat(calls(a) - before)
                .as("the last release, and once whether signals arrive")
                .isLessThanOrEqualTo(2);
    }

    @Test
    void fiftyLocalWaitersAreOneCallAndOnePlaceAtTheStore() {
        firstContact();
        b.lock("n").lock();
        long before = calls(a);
        List<SimThread> threads = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            threads.add(start("t" + i, () -> {
                lock.lock();
                lock.unlock();
            }));
        }
        sim.runReady();
        assertThat(calls(a) - before).isEqualTo(1);
        assertThat(b.inspect("n").waiters()).hasSize(1);
        b.lock("n").unlock();
        threads.forEach(SimThread::join);
    }

    @Test
    void reentryKeepsTheToken() {
        lock.lock();
        long token = lock.fencingToken();
        lock.lock();
        assertThat(lock.fencingToken()).isEqualTo(token);
        assertThat(lock.holdCount()).isEqualTo(2);
        lock.unlock();
        lock.unlock();
        assertThat(lock.holdCount()).isZero();
    }

    @Test
    void tokensRiseFromHoldToHold() {
        long last = 0;
        for (int i = 0; i < 20; i++) {
            DistributedLock next = (i % 2 == 0 ? a : b).lock("n");
            next.lock();
            assertThat(next.fencingToken()).isGreaterThan(last);
            last = next.fencingToken();
            next.unlock();
        }
    }

    @Test
    void unusedTokensAreGivenBack() {
        lock.lock();
        List<SimThread> threads = new ArrayList<>();
        long[] last = {0};
        for (int i = 0; i < 3; i++) {
            threads.add(start("t" + i, () -> {
                lock.lock();
                last[0] = lock.fencingToken();
                lock.unlock();
            }));
        }
        sim.runReady();
        b.lock("n").forceUnlock();
        threads.forEach(SimThread::join);
        b.lock("n").lock();
        assertThat(b.lock("n").fencingToken() - last[0])
                .as("the tenure asked for tokens for several owners")
                .isBetween(1L, 3L * 1024);
        b.lock("n").unlock();
        assertThatThrownBy(lock::unlock).isInstanceOf(LeaseLostException.class);
    }

    @Test
    void aStrangersUnlockIsRefusedWithTheNameOfTheHolder() {
        lock.lock();
        SimThread stranger = start("stranger", lock::unlock);
        sim.runReady();
        assertThat(stranger.failure().orElseThrow())
                .isInstanceOf(IllegalMonitorStateException.class)
                .hasMessageContaining("'n'")
                .hasMessageContaining("stranger")
                .hasMessageContaining(Thread.currentThread().getName());
        lock.unlock();
        assertThatThrownBy(lock::unlock).isInstanceOf(IllegalMonitorStateException.class);
    }

    @Test
    void aLeaseIsClosedByAnyThreadAndOnlyOnce() throws InterruptedException {
        Lease lease = lock.acquire();
        start("closer", lease::close).join();
        lease.close();
        assertThat(lease.isValid()).isFalse();
        assertThat(lock.tryLock()).isTrue();
        lock.unlock();
    }

    @Test
    void aTimedOutAcquireSaysWhoHolds() {
        lock.lock();
        assertThatThrownBy(() -> b.lock("n").acquire(Duration.ofMillis(700)))
                .isInstanceOf(LockTimeoutException.class)
                .hasMessageContaining("'n'")
                .hasMessageContaining("700 ms")
                .hasMessageContaining("client " + a.clientId())
                .hasMessageContaining("token " + lock.fencingToken());
        lock.unlock();
    }

    @Test
    void theHolderIsDescribed() {
        lock.lock();
        var holder = b.lock("n").holder().orElseThrow();
        assertThat(holder.client().id()).isEqualTo(a.clientId());
        assertThat(holder.owner()).contains("thread " + Thread.currentThread().getName());
        assertThat(holder.fencingToken()).hasValue(lock.fencingToken());
        assertThat(holder.remainingLease()).isLessThanOrEqualTo(LEASE);
        lock.unlock();
        assertThat(b.lock("n").holder()).isEmpty();
    }

    @Test
    void aWaiterRunsSoonAfterARelease() {
        lock.lock();
        SimThread waiter = start("waiter", () -> {
            b.lock("n").lock();
            b.lock("n").unlock();
        });
        sim.runFor(Duration.ofMillis(2500));
        lock.unlock();
        sim.runUntil(waiter::done, Duration.ofMillis(10));
        waiter.join();
    }

    @Test
    void theFacesAreDifferentOwners() throws InterruptedException {
        lock.lock();
        assertThat(lock.tryAcquire()).isEmpty();
        assertThatThrownBy(lock::acquire).isInstanceOf(IllegalStateException.class);
        lock.unlock();
        try (Lease lease = lock.acquire()) {
            assertThat(lock.tryLock()).isFalse();
            assertThatThrownBy(lock::lock)
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("would wait for itself")
                    .hasMessageContaining("token " + lease.fencingToken());
        }
    }

    @Test
    void waitsOfZeroOrLessDoNotWait() throws InterruptedException {
        lock.lock();
        Duration before = sim.elapsed();
        assertThat(b.lock("n").tryLock(Duration.ZERO)).isFalse();
        assertThat(b.lock("n").tryLock(Duration.ofSeconds(-5))).isFalse();
        assertThat(b.lock("n").tryAcquire(Duration.ofDays(-365))).isEqualTo(Optional.empty());
        assertThat(sim.elapsed()).isEqualTo(before);
        lock.unlock();
    }
}
