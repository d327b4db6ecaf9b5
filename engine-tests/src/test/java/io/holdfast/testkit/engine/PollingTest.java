package io.holdfast.testkit.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.DistributedLock;
import io.holdfast.Lease;
import io.holdfast.LockOptions;
import io.holdfast.WaitStrategy;
import io.holdfast.testkit.SimThread;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Waiters that ask instead of being told. */
class PollingTest extends VirtualTime {

    private static final Duration POLL = Duration.ofMillis(1100);

    private final DistributedLock lock = a.lock("n", LockOptions.defaults().withWaiting(WaitStrategy.POLLING));
    private final DistributedLock told = a.lock("n");

    @BeforeEach
    void firstContact() {
        lock.lock();
        lock.unlock();
    }

    @AfterEach
    void nothingIsLeft() {
        assertNothingIsLeft();
    }

    private SimThread waiter(DistributedLock of) {
        return start("waiter", () -> {
            of.lock();
            of.unlock();
        });
    }

    private long callsIn(Duration time) {
        long before = calls(a);
        sim.runFor(time);
        return calls(a) - before;
    }

    @Test
    void itAsksOftenAtFirstAndThenOnceInAPollInterval() {
        b.lock("n").lock();
        SimThread waiter = waiter(lock);
        assertThat(callsIn(Duration.ofMillis(1))).as("at once").isEqualTo(1);
        assertThat(callsIn(Duration.ofMillis(5))).as("after 5 ms").isEqualTo(1);
        assertThat(callsIn(Duration.ofMillis(1200))).as("10, 20, .. 640 ms").isBetween(6L, 8L);
        assertThat(callsIn(Duration.ofSeconds(20))).as("once a second").isBetween(18L, 23L);
        assertThat(a.stats().signals()).isZero();
        b.lock("n").unlock();
        waiter.join();
    }

    @Test
    void itIsNotInTheQueueAndGetsTheLockWithinAPollInterval() {
        for (int i = 0; i < 20; i++) {
            b.lock("n").lock();
            SimThread waiter = waiter(lock);
            sim.runFor(Duration.ofMillis(5000 + 130 * i));
            assertThat(b.inspect("n").waiters()).isEmpty();
            b.lock("n").unlock();
            Duration released = sim.elapsed();
            waiter.join();
            assertThat(sim.elapsed().minus(released)).isLessThanOrEqualTo(POLL);
        }
        assertThat(a.stats().signals()).isZero();
    }

    @Test
    void manyWaitersOfAClientPollAsOne() {
        b.lock("n").lock();
        for (int i = 0; i < 50; i++) {
            start("waiter" + i, () -> {
                lock.lock();
                lock.unlock();
            });
            sim.runFor(Duration.ofMillis(100));
        }
        assertThat(callsIn(Duration.ofSeconds(20))).isBetween(18L, 23L);
        b.lock("n").unlock();
        sim.runThreads();
    }

    @Test
    void aFutureMayPollToo() {
        b.lock("n").lock();
        CompletableFuture<Lease> future = lock.async().acquire();
        sim.runFor(Duration.ofSeconds(3));
        assertThat(b.inspect("n").waiters()).isEmpty();
        b.lock("n").unlock();
        Lease lease = sim.await(future);
        assertThat(a.stats().signals()).isZero();
        sim.await(lease.closeAsync());
    }

    @Test
    void besideOneWhoIsToldItStillPolls() {
        b.lock("n").lock();
        SimThread first = waiter(told);
        assertThat(callsIn(Duration.ofSeconds(5))).isBetween(4L, 7L);
        SimThread second = waiter(lock);
        assertThat(callsIn(Duration.ofMillis(600))).as("5, 10, .. 320 ms").isBetween(5L, 8L);
        assertThat(b.inspect("n").waiters()).as("the place of the other").hasSize(1);
        b.lock("n").unlock();
        first.join();
        second.join();
    }

    @Test
    void whoIsToldStillHasAPlaceBesideOneWhoPolls() {
        b.lock("n").lock();
        SimThread first = waiter(lock);
        sim.runFor(Duration.ofSeconds(5));
        SimThread second = waiter(told);
        sim.runFor(POLL);
        assertThat(b.inspect("n").waiters()).hasSize(1);
        b.lock("n").unlock();
        sim.runUntil(() -> first.done() && second.done(), Duration.ofMillis(10));
        assertThat(a.stats().signals()).isPositive();
    }

    @Test
    void thePlaceGoesWithTheLastWhoIsTold() throws InterruptedException {
        b.lock("n").lock();
        SimThread leaving = start(
                "leaving", () -> assertThat(told.tryLock(Duration.ofSeconds(3))).isFalse());
        sim.runReady();
        SimThread waiter = waiter(lock);
        leaving.join();
        sim.runFor(POLL);
        assertThat(b.inspect("n").waiters()).isEmpty();
        b.lock("n").unlock();
        waiter.join();
    }

    @Test
    void inAClientTheLockIsPassedOnWithoutAsking() {
        lock.lock();
        SimThread waiter = waiter(lock);
        sim.runFor(Duration.ofSeconds(5));
        long before = a.stats().handoffs();
        lock.unlock();
        waiter.join();
        assertThat(a.stats().handoffs()).isEqualTo(before + 1);
    }

    @Test
    void anOutageIsEndured() {
        b.lock("n").lock();
        SimThread waiter = waiter(lock);
        sim.runFor(Duration.ofSeconds(3));
        faults(a).outage(true);
        sim.runFor(Duration.ofSeconds(10));
        faults(a).outage(false);
        b.lock("n").unlock();
        sim.runUntil(waiter::done, POLL);
    }
}
