package io.holdfast.testkit.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LockEvent;
import io.holdfast.StoreUnavailableException;
import io.holdfast.testkit.SimThread;
import io.holdfast.testkit.faults.Fault;
import io.holdfast.testkit.faults.Operation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The system has no more threads for a while: what was to run is put off, and nobody waits for ever. */
@Tag("everywhere")
class NoThreadsTest extends VirtualTime {

    private static final Duration A_WHILE = Duration.ofSeconds(3);

    private final ScarcePlatform platform = new ScarcePlatform(sim);
    private final Holdfast c = client(
            "c",
            options ->
                    options.platform(platform).provider(provider(server::open)).lease(Duration.ofSeconds(12)));
    private final DistributedLock lock = c.lock("n");

    private void withoutThreads(Duration time) {
        platform.noThreads(true);
        sim.runFor(time);
        assertThat(platform.refused()).isPositive();
        platform.noThreads(false);
    }

    @AfterEach
    void nothingIsLeft() {
        platform.noThreads(false);
        assertNothingIsLeft();
    }

    @Test
    void aCallWhoseAnswerIsLostStillTimesOutAndSoDoTheNext() {
        for (int i = 0; i < 2; i++) {
            SimThread asking = askingInVain("asking");
            withoutThreads(A_WHILE);
            sim.runUntil(asking::done, A_WHILE);
            asking.join();
        }
    }

    @Test
    void aTimeoutThatWasLostIsPlannedAnewWithTheNextCall() {
        SimThread first = askingInVain("first");
        sim.runFor(Duration.ofMillis(10));
        platform.noTimers(true);
        withoutThreads(A_WHILE);
        platform.noTimers(false);
        sim.runFor(A_WHILE);
        assertThat(first.done()).isFalse();
        SimThread second = askingInVain("second");
        sim.runUntil(() -> first.done() && second.done(), A_WHILE);
        first.join();
        second.join();
    }

    private SimThread askingInVain(String name) {
        faults(c).holdReply(Operation.INSPECT);
        return start(name, () -> assertThatThrownBy(lock::holder).isInstanceOf(StoreUnavailableException.class));
    }

    @Test
    void aWaiterPollsAfterwards() throws InterruptedException {
        Lease held = b.lock("n").acquire();
        SimThread waiter = start("waiter", () -> {
            lock.lock();
            lock.unlock();
        });
        sim.runFor(A_WHILE);
        faults(c).next(Operation.SIGNAL, Fault.DROP_SIGNAL);
        held.close();
        withoutThreads(A_WHILE);
        sim.runUntil(waiter::done, Duration.ofSeconds(2));
        waiter.join();
    }

    @Test
    void aHoldIsRenewedAfterwards() throws InterruptedException {
        Lease lease = lock.acquire();
        sim.runFor(A_WHILE);
        withoutThreads(Duration.ofSeconds(6));
        sim.runFor(LEASE);
        assertThat(lease.isValid()).isTrue();
        lease.close();
    }

    @Test
    void aLossIsToldAfterwards() throws InterruptedException {
        List<Object> told = new ArrayList<>();
        Lease lease = lock.tryAcquire(Duration.ZERO, Duration.ofSeconds(1))
                .orElseThrow()
                .onLost(told::add);
        SimThread next = start("next", () -> {
            lock.lock();
            lock.unlock();
        });
        withoutThreads(A_WHILE);
        sim.runUntil(next::done, Duration.ofSeconds(2));
        next.join();
        assertThat(told).hasSize(1);
        assertThat(events(LockEvent.Lost.class)).hasSize(1);
        assertThatThrownBy(lease::close).isNotNull();
    }

    @Test
    void aFutureIsCompletedAfterwards() {
        platform.noThreads(true);
        var future = lock.async().acquire();
        withoutThreads(A_WHILE);
        sim.await(sim.await(future).closeAsync());
    }

    @Test
    void aFutureIsCompletedThoughTheUsersExecutorHasNoThread() {
        Holdfast d = client(
                "d",
                options -> options.callbackExecutor(task -> {
                    throw new OutOfMemoryError("unable to create native thread");
                }));
        sim.await(sim.await(d.lock("n").async().acquire()).closeAsync());
    }

    @Test
    void aFutureIsCompletedByTheCloseOfTheClient() {
        platform.noThreads(true);
        var future = lock.async().acquire();
        sim.runFor(A_WHILE);
        assertThat(future).isNotDone();
        c.close();
        assertThat(future).isDone();
    }

    @Test
    void aTickThatCouldNotBePlannedIsPlannedByTheNextCall() {
        sim.runFor(A_WHILE);
        platform.noTimers(true);
        assertThatThrownBy(lock::holder).isInstanceOf(StoreUnavailableException.class);
        platform.noTimers(false);
        SimThread second = askingInVain("second");
        sim.runUntil(second::done, Duration.ofMillis(2_100));
        second.join();
    }

    @Test
    void aScanThatCouldNotBeSetIsSetByTheNextHold() {
        SimThread asking = askingInVain("asking");
        sim.runFor(Duration.ofMillis(10));
        platform.noTimers(true);
        Lease first = sim.await(c.lock("first").async().acquire());
        platform.noTimers(false);
        Lease second = sim.await(c.lock("second").async().acquire());
        sim.runFor(LEASE);
        assertThat(first.isValid()).isTrue();
        assertThat(second.isValid()).isTrue();
        asking.join();
        first.close();
        second.close();
    }

    @Test
    void aTaskThatWasTakenBeforeTheThreadFailedRunsOnce() throws InterruptedException {
        platform.noThreadsAfterwards(true);
        lock.acquire().close();
        sim.runFor(A_WHILE);
        platform.noThreadsAfterwards(false);
        assertThat(platform.refused()).isPositive();
        assertThat(events(LockEvent.Granted.class)).hasSize(1);
    }
}
