package io.holdfast.testkit.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.DistributedLock;
import io.holdfast.IndeterminateLockException;
import io.holdfast.Lease;
import io.holdfast.LeaseLostException;
import io.holdfast.LockEvent;
import io.holdfast.testkit.SimThread;
import io.holdfast.testkit.faults.Fault;
import io.holdfast.testkit.faults.Held;
import io.holdfast.testkit.faults.Operation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Requests and replies that are lost, late or doubled; callers that leave in the middle. Nothing is ever left behind. */
class UnknownOutcomeTest extends VirtualTime {

    private final DistributedLock lock = a.lock("n");

    @BeforeEach
    void firstContact() {
        lock.lock();
        lock.unlock();
        b.lock("n").lock();
        b.lock("n").unlock();
    }

    @AfterEach
    void nothingIsLeft() {
        assertNothingIsLeft();
        assertThat(b.lock("n").tryLock()).isTrue();
        b.lock("n").unlock();
    }

    @Test
    void whatIsNotAnsweredIsGivenUpInTheOrderInWhichItWasAsked() {
        List<String> order = new ArrayList<>();
        List<String> names = IntStream.range(0, 10).mapToObj(i -> "n" + i).toList();
        for (String name : names) {
            faults(a).next(Operation.ACQUIRE, Fault.DROP_REQUEST);
            var unused = a.lock(name).async().tryAcquire().whenComplete((lease, error) -> order.add(name));
        }
        sim.runFor(Duration.ofMinutes(1));
        assertThat(order).isEqualTo(names);
    }

    @Test
    void aGrantWhoseReplyIsLostIsNotReportedAsBusyAndIsReleased() {
        faults(a).next(Operation.ACQUIRE, Fault.DROP_REPLY);
        assertThatThrownBy(lock::tryLock)
                .isInstanceOf(IndeterminateLockException.class)
                .hasMessageContaining("'n'")
                .hasMessageContaining("may have granted it, and any grant is being released");
    }

    @Test
    void aGrantAnsweredByAnErrorIsAskedForAgainAndGot() {
        faults(a).next(Operation.ACQUIRE, Fault.FAIL_AFTER);
        Duration before = sim.elapsed();
        lock.lock();
        assertThat(lock.isValid()).isTrue();
        assertThat(sim.elapsed().minus(before)).isLessThan(Duration.ofMillis(100));
        lock.unlock();
    }

    @Test
    void aSecondGrantThatComesWithTheUnlockIsNoLoss() {
        b.lock("n").lock();
        SimThread thread = start("t", () -> {
            lock.lock();
            lock.unlock();
        });
        sim.runReady();
        Held first = faults(a).holdReply(Operation.ACQUIRE);
        b.lock("n").unlock();
        sim.runUntil(first::isCaught, LONG);
        Held second = faults(a).holdReply(Operation.ACQUIRE);
        sim.runUntil(second::isCaught, LONG);
        Held release = faults(a).holdRequest(Operation.RELEASE);
        first.letGo();
        sim.runUntil(release::isCaught, LONG);
        second.letGo();
        sim.runReady();
        release.letGo();
        thread.join();
        assertThat(events(LockEvent.Lost.class)).isEmpty();
    }

    @Test
    void anInterruptedAcquireLeavesNothingBehind() {
        Held reply = faults(a).holdReply(Operation.ACQUIRE);
        SimThread thread = start("t", () -> {
            assertThatThrownBy(lock::lockInterruptibly).isInstanceOf(InterruptedException.class);
            assertThat(lock.isHeldByCurrentThread()).isFalse();
        });
        sim.runUntil(reply::isCaught, LONG);
        thread.interrupt();
        sim.runUntil(thread::done, Duration.ofMillis(1));
        thread.join();
        reply.letGo();
    }

    @Test
    void anInterruptOnEntryAcquiresNothing() {
        long before = calls(a);
        SimThread thread = start("t", () -> {
            Thread.currentThread().interrupt();
            assertThatThrownBy(lock::lockInterruptibly).isInstanceOf(InterruptedException.class);
            Thread.currentThread().interrupt();
            assertThatThrownBy(() -> lock.tryLock(Duration.ofSeconds(1))).isInstanceOf(InterruptedException.class);
            Thread.currentThread().interrupt();
            assertThatThrownBy(lock::acquire).isInstanceOf(InterruptedException.class);
        });
        thread.join();
        assertThat(calls(a)).isEqualTo(before);
    }

    @Test
    void anUninterruptibleLockKeepsTheInterrupt() {
        b.lock("n").lock();
        SimThread thread = start("t", () -> {
            lock.lock();
            assertThat(Thread.interrupted()).isTrue();
            lock.unlock();
        });
        sim.runReady();
        thread.interrupt();
        sim.runFor(Duration.ofSeconds(2));
        assertThat(thread.done()).isFalse();
        b.lock("n").unlock();
        thread.join();
    }

    @Test
    void aTimedOutWaiterWithdrawsItsPlace() throws InterruptedException {
        b.lock("n").lock();
        assertThat(lock.tryLock(Duration.ofMillis(300))).isFalse();
        sim.runFor(Duration.ofMillis(10));
        assertThat(b.inspect("n").waiters()).isEmpty();
        b.lock("n").unlock();
    }

    @Test
    void aCancelledFutureWithdrawsAndALateGrantIsReleased() {
        Held reply = faults(a).holdReply(Operation.ACQUIRE);
        CompletableFuture<Lease> future = lock.async().acquire();
        sim.runUntil(reply::isCaught, LONG);
        future.cancel(false);
        reply.letGo();
        sim.runFor(Duration.ofSeconds(5));
        assertThat(future).isCancelled();
    }

    @Test
    void aFutureThatIsCancelledWhileItWaitsLeavesTheQueue() {
        b.lock("n").lock();
        CompletableFuture<Lease> future = lock.async().acquire();
        sim.runReady();
        assertThat(b.inspect("n").waiters()).hasSize(1);
        future.cancel(true);
        sim.runReady();
        assertThat(b.inspect("n").waiters()).isEmpty();
        b.lock("n").unlock();
    }

    @Test
    void aLateCopyOfAnAcquireIsNotAppliedAfterItsTime() {
        Held request = faults(a).holdRequest(Operation.ACQUIRE);
        assertThatThrownBy(lock::tryLock).isInstanceOf(IndeterminateLockException.class);
        sim.runFor(Duration.ofSeconds(1));
        long before = calls(a);
        request.letGo();
        sim.runReady();
        assertThat(calls(a)).as("nothing was granted that had to be released").isEqualTo(before);
    }

    /** A request that has not reached the store, of a thread that was interrupted meanwhile. */
    private Held acquireOfOneWhoGaveUp() {
        Held request = faults(a).holdRequest(Operation.ACQUIRE);
        SimThread thread =
                start("t", () -> assertThatThrownBy(lock::lockInterruptibly).isInstanceOf(InterruptedException.class));
        sim.runUntil(request::isCaught, LONG);
        thread.interrupt();
        thread.join();
        return request;
    }

    @Test
    void aLateCopyThatComesInTimeIsReleasedAgain() {
        Held request = acquireOfOneWhoGaveUp();
        sim.runFor(Duration.ofMillis(500));
        assertThat(a.stats().unsettled()).as("a copy may still come").isEqualTo(1);
        request.letGo();
        sim.runReady();
    }

    @Test
    void whatAnOvertakenAcquireTakesIsReleasedWhenItIsAnswered() {
        acquireOfOneWhoGaveUp().letGo();
        sim.runFor(Duration.ofMillis(1));
        assertThat(sim.inUse()).isEmpty();
        assertThat(a.stats().unsettled()).isZero();
    }

    @Test
    void aTenureThatWasGivenUpIsNeverAskedForAgain() {
        Held release = faults(a).holdRequest(Operation.RELEASE);
        faults(a).next(Operation.ACQUIRE, Fault.DROP_REPLY);
        assertThatThrownBy(lock::tryLock).isInstanceOf(IndeterminateLockException.class);
        sim.runUntil(release::isCaught, LONG);
        SimThread thread = start("t", () -> {
            lock.lock();
            sim.sleep(Duration.ofSeconds(10));
            assertThat(lock.isValid()).isTrue();
            lock.unlock();
        });
        sim.runFor(Duration.ofSeconds(1));
        release.letGo();
        sim.runFor(Duration.ofSeconds(1));
        release.letGo();
        thread.join();
        assertThat(events(LockEvent.Lost.class)).isEmpty();
    }

    @Test
    void aDoubledAcquireIsOneHold() {
        faults(a).next(Operation.ACQUIRE, Fault.DOUBLE_REQUEST);
        lock.lock();
        sim.runFor(Duration.ofSeconds(4));
        assertThat(lock.isValid()).isTrue();
        lock.unlock();
        assertThat(events(LockEvent.Lost.class)).isEmpty();
    }

    @Test
    void aReleaseWhoseReplyIsLostReturnsWarnsAndGoesOn() {
        lock.lock();
        faults(a).next(Operation.RELEASE, Fault.DROP_REPLY);
        Duration before = sim.elapsed();
        lock.unlock();
        assertThat(sim.elapsed().minus(before)).isEqualTo(Duration.ofSeconds(2));
        assertThat(events(LockEvent.ReleaseUnconfirmed.class)).hasSize(1);
        assertThat(events(LockEvent.Lost.class)).isEmpty();
    }

    @Test
    void aReleaseAnsweredByAnErrorIsNoLoss() {
        lock.lock();
        faults(a).next(Operation.RELEASE, Fault.FAIL_AFTER);
        lock.unlock();
        assertThat(events(LockEvent.Lost.class)).isEmpty();
        assertThat(events(LockEvent.ReleaseUnconfirmed.class)).isEmpty();
    }

    @Test
    void aReleaseWhoseRequestIsLostIsRepeated() {
        lock.lock();
        faults(a).next(Operation.RELEASE, Fault.DROP_REQUEST);
        lock.unlock();
        sim.runFor(Duration.ofSeconds(1));
        assertThat(b.inspect("n").holder()).isEmpty();
    }

    @Test
    void aReleaseOfAHoldThatTheStoreNoLongerHasIsALoss() {
        lock.lock();
        server.wipe();
        assertThatThrownBy(lock::unlock)
                .isInstanceOf(LeaseLostException.class)
                .hasMessageContaining("'n'")
                .hasMessageContaining("no longer held it");
        assertThat(events(LockEvent.Lost.class)).hasSize(1);
        assertThat(lock.isHeldByCurrentThread()).isFalse();
    }

    @Test
    void anUnlockIsNotInterruptible() {
        SimThread thread = start("t", () -> {
            lock.lock();
            Thread.currentThread().interrupt();
            lock.unlock();
            assertThat(Thread.interrupted()).isTrue();
        });
        thread.join();
        assertThat(b.lock("n").tryLock()).isTrue();
        b.lock("n").unlock();
    }

    @Test
    void aRepeatedAcquireGoesOnWithHigherTokens() {
        b.lock("n").lock();
        long before = b.lock("n").fencingToken();
        b.lock("n").unlock();
        faults(a).next(Operation.ACQUIRE, Fault.FAIL_AFTER);
        lock.lock();
        long mine = lock.fencingToken();
        lock.unlock();
        assertThat(mine).isGreaterThan(before);
        b.lock("n").lock();
        assertThat(b.lock("n").fencingToken()).isGreaterThan(mine);
        b.lock("n").unlock();
    }
}
