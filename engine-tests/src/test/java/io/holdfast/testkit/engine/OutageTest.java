package io.holdfast.testkit.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import io.holdfast.IndeterminateLockException;
import io.holdfast.Lease;
import io.holdfast.LeaseLostException;
import io.holdfast.Permit;
import io.holdfast.StoreUnavailableException;
import io.holdfast.testkit.SimThread;
import io.holdfast.testkit.faults.Fault;
import io.holdfast.testkit.faults.Held;
import io.holdfast.testkit.faults.Operation;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A store that cannot be reached, before and during a wait; and the end of a client. */
class OutageTest extends VirtualTime {

    private final DistributedLock lock = a.lock("n");

    @AfterEach
    void nothingIsLeft() {
        assertNothingIsLeft();
    }

    @Test
    void anAcquireWhoseFirstCallFindsNoServerThrowsAfterTheCommandTimeout() {
        faults(a).outage(true);
        Duration before = sim.elapsed();
        assertThatThrownBy(lock::lock)
                .isInstanceOf(StoreUnavailableException.class)
                .hasMessageContaining("'n' was not acquired after 2000 ms");
        assertThat(sim.elapsed().minus(before)).isEqualTo(Duration.ofSeconds(2));
        faults(a).outage(false);
    }

    @Test
    void whoJoinsOthersIsNotCutShortByAStoreThatAnswers() {
        Holdfast c = client("c", options -> options.pollInterval(Duration.ofSeconds(5)));
        Lease held = b.lock("n").tryAcquire().orElseThrow();
        CompletableFuture<Lease> first = c.lock("n").async().acquire();
        sim.runFor(Duration.ofSeconds(1));
        CompletableFuture<Lease> joins = c.lock("n").async().acquire();
        sim.runFor(Duration.ofSeconds(3));
        Held answer = faults(c).holdReply(Operation.ACQUIRE);
        sim.runUntil(answer::isCaught, Duration.ofSeconds(5));
        sim.runFor(Duration.ofMillis(20));
        answer.letGo();
        sim.runFor(Duration.ofSeconds(10));
        assertThat(joins).isNotDone();
        held.close();
        sim.runFor(Duration.ofSeconds(1));
        sim.await(first).close();
        sim.await(joins).close();
    }

    /** The answer is there, and is read only after the timers that have become due. */
    @Test
    void aCallDoesNotTimeOutBecauseTheProcessDidNotRun() throws InterruptedException {
        lock.acquire().close();
        Held answer = faults(a).holdReply(Operation.ACQUIRE);
        CompletableFuture<Lease> acquired = lock.async().acquire();
        sim.runUntil(answer::isCaught, Duration.ofMillis(100));
        sim.stall(Duration.ofSeconds(3));
        sim.runReady();
        CompletableFuture<Optional<Lease>> brief = a.lock("other").async().tryAcquire(Duration.ofMillis(1));
        sim.runFor(Duration.ofMillis(100));
        assertThat(acquired).isNotDone();
        answer.letGo();
        sim.await(acquired).close();
        sim.await(brief).orElseThrow().close();
    }

    @Test
    void aCallTimesOutSoonAfterAStallIfThereIsNoAnswer() {
        faults(a).next(Operation.ACQUIRE, Fault.DROP_REPLY);
        CompletableFuture<Optional<Lease>> acquired = lock.async().tryAcquire();
        sim.runFor(Duration.ofMillis(20));
        sim.stall(Duration.ofSeconds(3));
        sim.runReady();
        assertThat(acquired).isNotDone();
        sim.runFor(Duration.ofMillis(250));
        assertThat(acquired).isCompletedExceptionally();
    }

    @Test
    void callsTimeOutInAProcessThatIsAlwaysLate() {
        faults(a).next(Operation.ACQUIRE, Fault.DROP_REPLY);
        CompletableFuture<Optional<Lease>> acquired = lock.async().tryAcquire();
        for (int stalls = 0; stalls < 3; stalls++) {
            sim.runReady();
            assertThat(acquired).isNotDone();
            sim.stall(Duration.ofMillis(1_500));
        }
        sim.runReady();
        assertThat(acquired).isCompletedExceptionally();
    }

    @Test
    void aTryLockDuringAnOutageIsNotBusy() {
        faults(a).outage(true);
        assertThatThrownBy(lock::tryLock).isInstanceOf(StoreUnavailableException.class);
        faults(a).outage(false);
    }

    @Test
    void oneThatWaitsStaysThroughAnOutage() {
        b.lock("n").lock();
        SimThread waiter = start("waiter", () -> {
            lock.lock();
            lock.unlock();
        });
        sim.runFor(Duration.ofSeconds(1));
        faults(a).outage(true);
        sim.runFor(Duration.ofSeconds(25));
        assertThat(waiter.done()).isFalse();
        b.lock("n").unlock();
        faults(a).outage(false);
        sim.runUntil(waiter::done, Duration.ofSeconds(2));
        waiter.join();
    }

    @Test
    void oneThatWaitedForItsOwnProcessIsNotThrownOutByTheFirstFailure() {
        lock.lock();
        SimThread next = start("next", () -> {
            lock.lock();
            lock.unlock();
        });
        sim.runFor(Duration.ofSeconds(3));
        b.lock("n").forceUnlock();
        faults(a).next(Operation.ACQUIRE, Fault.FAIL_BEFORE);
        sim.runFor(Duration.ofSeconds(1));
        next.join();
        assertThatThrownBy(lock::unlock).isInstanceOf(LeaseLostException.class);
    }

    @Test
    void oneThatWaitsGivesUpAfterTheLongestOutage() {
        b.lock("n").lock();
        SimThread waiter =
                start("waiter", () -> assertThatThrownBy(lock::lock).isInstanceOf(StoreUnavailableException.class));
        sim.runFor(Duration.ofSeconds(1));
        faults(a).outage(true);
        sim.runFor(Duration.ofSeconds(29));
        assertThat(waiter.done()).isFalse();
        sim.runUntil(waiter::done, Duration.ofSeconds(4));
        waiter.join();
        faults(a).outage(false);
        b.lock("n").unlock();
    }

    /** No answer comes at all, so that each request takes a command timeout. */
    @Test
    void theLongestOutageBeginsWithTheFirstRequestThatHadNoAnswer() throws InterruptedException {
        Holdfast c = client("c", options -> options.maxOutage(Duration.ofSeconds(5)));
        Lease held = b.lock("n").acquire();
        CompletableFuture<Lease> waiter = c.lock("n").async().acquire();
        sim.runFor(Duration.ofMillis(100));
        faults(c).probability(Fault.DROP_REQUEST, 1.0);
        Duration began = sim.elapsed();
        sim.runUntil(waiter::isDone, LONG);
        assertThat(sim.elapsed().minus(began)).isBetween(Duration.ofSeconds(5), Duration.ofMillis(6_200));
        assertThat(waiter).isCompletedExceptionally();
        faults(c).probability(Fault.DROP_REQUEST, 0.0);
        held.close();
    }

    @Test
    void aWaitThatEndsInAnOutageIsBusyOnlyIfNothingCanHaveBeenGranted() {
        b.lock("n").lock();
        SimThread known = start(
                "known", () -> assertThat(lock.tryLock(Duration.ofSeconds(5))).isFalse());
        sim.runFor(Duration.ofMillis(100));
        faults(a).outage(true);
        known.join();
        faults(a).outage(false);
        SimThread open = start(
                "open",
                () -> assertThatThrownBy(() -> lock.tryLock(Duration.ofSeconds(5)))
                        .isInstanceOf(IndeterminateLockException.class));
        sim.runFor(Duration.ofMillis(100));
        faults(a).probability(Fault.DROP_REQUEST, 1.0);
        open.join();
        faults(a).probability(Fault.DROP_REQUEST, 0.0);
        b.lock("n").unlock();
    }

    @Test
    void anOutageShorterThanTheLeaseLosesNothing() {
        lock.lock();
        for (int i = 0; i < 5; i++) {
            faults(a).outage(true);
            sim.runFor(Duration.ofSeconds(18));
            faults(a).outage(false);
            sim.runFor(Duration.ofSeconds(3));
            assertThat(lock.isValid()).as("outage " + i).isTrue();
        }
        lock.unlock();
    }

    @Test
    void closeReleasesWhatIsHeldAndEndsWhatWaits() throws InterruptedException {
        Holdfast c = client("c");
        Lease lease = c.lock("held").acquire();
        b.lock("n").lock();
        SimThread waiter = start(
                "waiter",
                () -> assertThatThrownBy(c.lock("n")::lock)
                        .isInstanceOf(IllegalStateException.class)
                        .hasMessageContaining("'n'")
                        .hasMessageContaining("client c is closed"));
        CompletableFuture<Lease> future = c.lock("n").async().acquire();
        sim.runReady();
        long before = calls(c);
        c.close();
        assertThat(calls(c) - before)
                .as("one release, and one withdrawal of the place for both")
                .isEqualTo(2);
        waiter.join();
        sim.runReady();
        assertThat(future).isCompletedExceptionally();
        assertThat(lease.isValid()).isFalse();
        assertThatThrownBy(lease::close).isInstanceOf(IllegalStateException.class);
        assertThat(b.inspect("n").waiters()).isEmpty();
        assertThat(b.inspect("held").holder()).isEmpty();
        assertThatThrownBy(() -> c.lock("n")).isInstanceOf(IllegalStateException.class);
        b.lock("n").unlock();
    }

    @Test
    void closeWaitsForAnswersNoLongerThanItsTimeout() throws InterruptedException {
        Holdfast c = client("c");
        Lease lease = c.lock("held").acquire();
        assertThat(lease.isValid()).isTrue();
        faults(c).next(Operation.RELEASE, Fault.DROP_REQUEST);
        faults(c).next(Operation.RELEASE, Fault.DROP_REQUEST);
        faults(c).next(Operation.RELEASE, Fault.DROP_REQUEST);
        Duration before = sim.elapsed();
        c.close();
        assertThat(sim.elapsed().minus(before)).isBetween(Duration.ofSeconds(5), Duration.ofMillis(5100));
        sim.runFor(LEASE);
    }

    @Test
    void aClosedClientRefusesEverything() throws InterruptedException {
        Holdfast c = client("c");
        DistributedLock left = c.lock("n");
        c.close();
        c.close();
        assertThatThrownBy(left::lock).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(left::tryLock).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(left::isLocked).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> left.async().acquire()).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(left::unlock).isInstanceOf(IllegalStateException.class);
    }

    /** The outages together are longer than the longest one that a waiter tolerates. */
    @Test
    void anAnswerEndsAnOutage() throws InterruptedException {
        b.semaphore("p").trySetPermits(1);
        Lease held = b.lock("n").acquire();
        Lease heldInOrder = b.fairLock("fair").acquire();
        Permit permit = b.semaphore("p").acquire();
        List<CompletableFuture<Void>> waiting = List.of(
                a.lock("n").async().acquire().thenAccept(Lease::close),
                a.fairLock("fair").async().acquire().thenAccept(Lease::close),
                a.semaphore("p").async().acquire().thenAccept(Permit::close));
        sim.runFor(Duration.ofSeconds(1));
        for (int i = 0; i < 3; i++) {
            faults(a).outage(true);
            sim.runFor(Duration.ofSeconds(20));
            faults(a).outage(false);
            sim.runFor(Duration.ofSeconds(5));
        }
        assertThat(waiting).noneMatch(CompletableFuture::isDone);
        held.close();
        heldInOrder.close();
        permit.close();
        sim.runFor(Duration.ofSeconds(2));
        assertThat(waiting).allSatisfy(waiter -> assertThat(waiter).isCompleted());
    }
}
