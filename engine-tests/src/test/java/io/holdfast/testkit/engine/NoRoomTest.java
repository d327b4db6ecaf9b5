package io.holdfast.testkit.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.Permit;
import io.holdfast.testkit.SimThread;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Waiters for which the queue of the store has no room. They poll. */
class NoRoomTest extends VirtualTime {

    private static final Duration POLL = Duration.ofMillis(1100);

    private final Holdfast full =
            client("full", options -> options.provider(provider(config -> new FullQueue(server.open(config)))));

    private final DistributedLock lock = full.lock("n");

    @BeforeEach
    void firstContact() {
        lock.lock();
        lock.unlock();
    }

    @AfterEach
    void nothingIsLeft() {
        assertNothingIsLeft();
    }

    private void pollUntilItIsFree(SimThread.Body acquire, Runnable release) {
        List<SimThread> waiters = List.of(start("first", acquire), start("second", acquire), start("third", acquire));
        sim.runFor(Duration.ofSeconds(2));
        long before = calls(full);
        sim.runFor(Duration.ofSeconds(20));
        assertThat(calls(full) - before).as("once a second").isBetween(18L, 23L);
        release.run();
        Duration released = sim.elapsed();
        waiters.forEach(SimThread::join);
        assertThat(sim.elapsed().minus(released)).isLessThanOrEqualTo(POLL.multipliedBy(3));
    }

    private void pollUntilItIsFree(DistributedLock held, DistributedLock wanted) {
        held.lock();
        pollUntilItIsFree(
                () -> {
                    wanted.lock();
                    wanted.unlock();
                },
                held::unlock);
    }

    @Test
    void ofALock() {
        pollUntilItIsFree(b.lock("n"), full.lock("n"));
    }

    @Test
    void ofAFairLock() {
        pollUntilItIsFree(b.fairLock("n"), full.fairLock("n"));
    }

    @Test
    void ofAReadLock() {
        pollUntilItIsFree(
                b.readWriteLock("n").writeLock(), full.readWriteLock("n").readLock());
    }

    @Test
    void ofAWriteLock() {
        pollUntilItIsFree(
                b.readWriteLock("n").readLock(), full.readWriteLock("n").writeLock());
    }

    @Test
    void ofASemaphore() {
        b.semaphore("n").trySetPermits(1);
        Permit held = b.semaphore("n").tryAcquire().orElseThrow();
        pollUntilItIsFree(() -> full.semaphore("n").acquire().close(), held::close);
    }

    private SimThread waiter() {
        return start("waiter", () -> {
            lock.lock();
            lock.unlock();
        });
    }

    private long callsIn(Duration time) {
        long before = calls(full);
        sim.runFor(time);
        return calls(full) - before;
    }

    @Test
    void pollsOftenAtFirstAndThenOnceInAPollInterval() {
        b.lock("n").lock();
        SimThread waiter = waiter();
        assertThat(callsIn(Duration.ofMillis(1))).as("at once").isEqualTo(1);
        assertThat(callsIn(Duration.ofMillis(5))).as("after 5 ms").isEqualTo(1);
        assertThat(callsIn(Duration.ofMillis(1200))).as("10, 20, .. 640 ms").isBetween(6L, 8L);
        assertThat(callsIn(Duration.ofSeconds(20))).as("once a second").isBetween(18L, 23L);
        assertThat(full.stats().signals()).isZero();
        b.lock("n").unlock();
        waiter.join();
    }

    @Test
    void acquiresWithinAPollInterval() {
        for (int i = 0; i < 20; i++) {
            b.lock("n").lock();
            SimThread waiter = waiter();
            sim.runFor(Duration.ofMillis(5000 + 130 * i));
            b.lock("n").unlock();
            Duration released = sim.elapsed();
            waiter.join();
            assertThat(sim.elapsed().minus(released)).isLessThanOrEqualTo(POLL);
        }
        assertThat(full.stats().signals()).isZero();
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
    void aFuturePollsToo() {
        b.lock("n").lock();
        CompletableFuture<Lease> future = lock.async().acquire();
        sim.runFor(Duration.ofSeconds(3));
        b.lock("n").unlock();
        Lease lease = sim.await(future);
        assertThat(full.stats().signals()).isZero();
        sim.await(lease.closeAsync());
    }

    @Test
    void aHandoffInsideTheClientNeedsNoPoll() {
        lock.lock();
        SimThread waiter = waiter();
        sim.runFor(Duration.ofSeconds(5));
        long before = full.stats().handoffs();
        lock.unlock();
        waiter.join();
        assertThat(full.stats().handoffs()).isEqualTo(before + 1);
    }

    @Test
    void toleratesAnOutage() {
        b.lock("n").lock();
        SimThread waiter = waiter();
        sim.runFor(Duration.ofSeconds(3));
        faults(full).outage(true);
        sim.runFor(Duration.ofSeconds(10));
        faults(full).outage(false);
        b.lock("n").unlock();
        sim.runUntil(waiter::done, POLL);
    }
}
