package io.holdfast.testkit.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import io.holdfast.Permit;
import io.holdfast.spi.Acquire;
import io.holdfast.spi.ForwardingStore;
import io.holdfast.spi.LockStore;
import io.holdfast.testkit.SimThread;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Waiters for which the queue of the store has no room. They poll. */
class NoRoomTest extends VirtualTime {

    private static final Duration POLL = Duration.ofMillis(1100);

    private final Holdfast full =
            client("full", options -> options.provider(provider(config -> new FullQueue(server.open(config)))));

    /** A store that gives no position to anybody. */
    private static final class FullQueue extends ForwardingStore {

        FullQueue(LockStore store) {
            super(store);
        }

        @Override
        public CompletionStage<Acquire.Reply> acquire(Acquire request) {
            List<Long> none = request.behind().stream().map(place -> 0L).toList();
            return super.acquire(request.queued(Acquire.Queueing.NONE, 0).withBehind(List.of()))
                    .thenApply(reply -> reply instanceof Acquire.Refused refused
                            ? new Acquire.Refused(
                                    refused.retryAfter(), 0, none, refused.holder(), refused.serverMicros(), 0)
                            : reply);
        }
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
}
