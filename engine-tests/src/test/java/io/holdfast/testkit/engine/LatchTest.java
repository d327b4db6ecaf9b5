package io.holdfast.testkit.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.DistributedLatch;
import io.holdfast.DistributedSemaphore;
import io.holdfast.Holdfast;
import io.holdfast.IndeterminateLockException;
import io.holdfast.StoreRefusedException;
import io.holdfast.StoreUnavailableException;
import io.holdfast.testkit.SimThread;
import io.holdfast.testkit.faults.Fault;
import io.holdfast.testkit.faults.Operation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A latch: each count counts once, and whoever waits is told, or told why not. */
class LatchTest extends VirtualTime {

    private static final Duration SHORT = Duration.ofMillis(1);
    private static final Duration POLL = Duration.ofMillis(1_200);

    private final DistributedLatch atA = a.countDownLatch("n");
    private final DistributedLatch atB = b.countDownLatch("n");
    private final List<SimThread> waiters = new ArrayList<>();
    private final List<String> ends = new ArrayList<>();

    @AfterEach
    void allHaveEnded() {
        waiters.forEach(SimThread::join);
        assertNothingIsLeft();
    }

    /** A thread that waits for the latch and notes how that ended; it waits when this returns. */
    private SimThread waiter(DistributedLatch latch) {
        SimThread waiter = start("waiter", () -> {
            try {
                latch.await();
                ends.add("open");
            } catch (IllegalStateException e) {
                ends.add(e.getMessage() + "");
            } catch (InterruptedException e) {
                ends.add("interrupted");
            }
        });
        waiters.add(waiter);
        sim.runFor(SHORT);
        return waiter;
    }

    // ---- counting

    @Test
    void opensWhenItIsCountedDown() throws InterruptedException {
        assertThat(atA.trySetCount(3)).isTrue();
        assertThat(atB.trySetCount(5)).isFalse();
        waiter(atA);
        waiter(atA);
        waiter(atB);
        atA.countDown();
        atB.countDown();
        assertThat(atB.count()).isEqualTo(1);
        assertThat(ends).isEmpty();

        atA.countDown(2);
        sim.runFor(Duration.ZERO);

        assertThat(ends).containsExactly("open", "open", "open");
        assertThat(atB.count()).isZero();
        assertThat(atB.await(Duration.ZERO)).isTrue();
        atB.countDown();
        assertThat(atA.trySetCount(1)).as("open, and so set").isFalse();
    }

    @Test
    void allWhoWaitInAClientAskByOneCall() {
        atA.trySetCount(1);
        for (int i = 0; i < 10; i++) {
            waiter(atB);
        }
        long before = calls(b);
        sim.runFor(Duration.ofSeconds(10));
        assertThat(calls(b) - before).isBetween(9L, 12L);
        atA.countDown();
        sim.runFor(Duration.ZERO);
        assertThat(ends).hasSize(10);
    }

    @Test
    void aLatchThatIsNotSetSaysSo() {
        assertThat(atA.count()).isZero();
        for (org.assertj.core.api.ThrowableAssert.ThrowingCallable use :
                List.<org.assertj.core.api.ThrowableAssert.ThrowingCallable>of(
                        atA::await, atA::countDown, () -> atA.await(Duration.ZERO))) {
            assertThatThrownBy(use)
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("latch 'n' is not set")
                    .hasMessageContaining("call trySetCount first");
        }
        assertThat(atA.delete()).isFalse();
        assertThatThrownBy(() -> atA.trySetCount(0))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("latch 'n': a count of 0 is out of range: at least 1");
        assertThatThrownBy(() -> atA.countDown(-1)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> atA.trySetCount(1, Duration.ZERO)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void eachCountIsCountedOnceThoughItsAnswerWasLost() {
        atA.trySetCount(10);
        faults(a).next(Operation.CHANGE, Fault.FAIL_AFTER).next(Operation.CHANGE, Fault.DROP_REPLY);
        atA.countDown();
        assertThat(atB.count()).isEqualTo(9);
        faults(a).next(Operation.CHANGE, Fault.DOUBLE_REQUEST);
        atA.countDown();
        sim.runFor(Duration.ofSeconds(5));
        assertThat(atB.count()).isEqualTo(8);
        faults(a).next(Operation.CHANGE, Fault.DROP_REQUEST);
        atA.countDown();
        assertThat(atB.count()).isEqualTo(7);
    }

    @Test
    void aLateCopyIsNotCountedAgain() {
        atA.trySetCount(10);
        faults(a).maxDelay(Duration.ofMinutes(5)).probability(Fault.DOUBLE_REQUEST, 1);
        for (int i = 0; i < 5; i++) {
            atA.countDown();
        }
        sim.runFor(Duration.ofMinutes(6));
        assertThat(atB.count()).isEqualTo(5);
    }

    @Test
    void aCopyThatComesAfterItsChangeIsForgottenIsNotCounted() {
        Holdfast c = client("c", options -> options.commandTimeout(LONG));
        atA.trySetCount(100);
        faults(c).maxDelay(LONG).probability(Fault.DOUBLE_REQUEST, 1);
        for (int i = 0; i < 50; i++) {
            c.countDownLatch("n").countDown();
        }
        sim.runFor(Duration.ofSeconds(61));
        atA.countDown();
        sim.runFor(LONG);
        assertThat(atB.count()).isEqualTo(49);
    }

    @Test
    void aCountWaitsForTheStoreToComeBack() {
        atA.trySetCount(1);
        faults(a).next(Operation.CHANGE, Fault.FAIL_BEFORE);
        atA.countDown();
        assertThat(atB.count()).isZero();
    }

    @Test
    void whatCannotBeToldIsSaid() {
        atA.trySetCount(10);
        faults(a).probability(Fault.FAIL_AFTER, 1);
        assertThatThrownBy(atA::countDown)
                .isInstanceOf(IndeterminateLockException.class)
                .hasMessageContaining("latch 'n': no answer came; outcome unknown: it may have been changed");
        faults(a).probability(Fault.FAIL_AFTER, 0);
        assertThat(atB.count()).isEqualTo(9);
    }

    @Test
    void aChangeThatMayHaveBeenMadeIsNotCalledRefused() {
        DistributedSemaphore unset = a.semaphore("unset");
        faults(a).next(Operation.CHANGE, Fault.DROP_REQUEST);
        assertThatThrownBy(() -> unset.addPermits(1))
                .isInstanceOf(IndeterminateLockException.class)
                .hasMessageContaining("outcome unknown: it may have been changed");
        assertThatThrownBy(() -> unset.addPermits(1)).isInstanceOf(StoreRefusedException.class);
    }

    // ---- waiting

    @Test
    void waitsForItsTimeAndNoLonger() throws InterruptedException {
        atA.trySetCount(1);
        Duration began = sim.elapsed();
        assertThat(atB.await(Duration.ofSeconds(5))).isFalse();
        assertThat(sim.elapsed().minus(began)).isEqualTo(Duration.ofSeconds(5));
        assertThat(atB.await(Duration.ZERO)).isFalse();
        assertThat(sim.elapsed().minus(began)).isEqualTo(Duration.ofSeconds(5));
    }

    @Test
    void anInterruptEndsTheWait() {
        atA.trySetCount(1);
        SimThread waiter = waiter(atB);
        waiter.interrupt();
        waiter.join();
        assertThat(ends).containsExactly("interrupted");
        SimThread early = start("early", () -> {
            Thread.currentThread().interrupt();
            assertThatThrownBy(atB::await).isInstanceOf(InterruptedException.class);
        });
        early.join();
    }

    @Test
    void aLostSignalCostsAPoll() {
        atA.trySetCount(1);
        waiter(atB);
        faults(b).next(Operation.SIGNAL, Fault.DROP_SIGNAL);
        atA.countDown();
        sim.runFor(SHORT);
        assertThat(ends).isEmpty();
        sim.runFor(POLL);
        assertThat(ends).containsExactly("open");
    }

    @Test
    void aLatchThatOpensWhileItIsAskedForIsNotMissed() {
        atA.trySetCount(1);
        var held = faults(b).holdReply(Operation.COUNT);
        waiter(atB);
        atA.countDown();
        held.letGo();
        sim.runFor(SHORT);
        assertThat(ends).containsExactly("open");
    }

    @Test
    void whoWaitsForALatchThatIsDeletedIsToldAtOnce() {
        atA.trySetCount(1);
        waiter(atB);
        assertThat(atA.delete()).isTrue();
        sim.runFor(Duration.ZERO);
        assertThat(ends)
                .singleElement()
                .asString()
                .contains("latch 'n' was deleted, or its life ended, while it was awaited");
    }

    @Test
    void whoWaitsForALatchThatIsSetAnewIsToldAtOnce() {
        atA.trySetCount(1);
        waiter(atB);
        atA.reset(1);
        sim.runFor(Duration.ZERO);
        assertThat(ends).singleElement().asString().contains("latch 'n' was set again while it was awaited");
        waiter(atB);
        atA.countDown();
        sim.runFor(Duration.ZERO);
        assertThat(ends).hasSize(2).last().isEqualTo("open");
    }

    @Test
    void aLatchThatHadOpenedBeforeItWasSetAnewHasOpened() {
        atA.trySetCount(1);
        waiter(atB);
        faults(b).next(Operation.SIGNAL, Fault.DROP_SIGNAL);
        atA.countDown();
        atA.reset(5);
        sim.runFor(POLL);
        assertThat(ends).containsExactly("open");
    }

    @Test
    void aLatchThatOpenedAndWasDeletedHasOpened() {
        atA.trySetCount(1);
        waiter(atB);
        faults(b).next(Operation.SIGNAL, Fault.DROP_SIGNAL);
        atA.countDown();
        atA.delete();
        sim.runFor(POLL);
        assertThat(ends).containsExactly("open");
    }

    @Test
    void aLatchThatOpenedHasOpenedHoweverOftenItWasSetSince() {
        atA.trySetCount(1);
        waiter(atB);
        faults(b).probability(Fault.DROP_SIGNAL, 1);
        atA.countDown();
        for (int i = 0; i < 20; i++) {
            atA.reset(1);
            atA.countDown();
        }
        atA.reset(1);
        sim.runFor(POLL);
        assertThat(ends).containsExactly("open");
    }

    @Test
    void whatIsNotKnownAnyMoreOfALatchIsNotMadeUp() {
        atA.trySetCount(1);
        waiter(atB);
        faults(b).probability(Fault.DROP_SIGNAL, 1);
        atA.countDown();
        for (int i = 0; i < 20; i++) {
            atA.reset(1);
        }
        sim.runFor(POLL);
        assertThat(ends)
                .containsExactly(
                        "latch 'n' was set again while it was awaited, and the store no longer knows whether it had opened"
                                + " before; check count(), or await it again");
    }

    @Test
    void aWaiterIsNotToldThatALatchDidNotOpenWhichTheStoreHasForgotten() {
        atA.trySetCount(1);
        waiter(atB);
        server.wipe();
        sim.runFor(POLL);
        assertThat(ends)
                .containsExactly(
                        "latch 'n' was deleted, or its life ended, while it was awaited, and the store no longer knows"
                                + " whether it had opened before; check count(), or await it again");
    }

    @Test
    void aLatchIsGoneWhenItsLifeIsOver() {
        assertThat(atA.trySetCount(1, Duration.ofSeconds(10))).isTrue();
        waiter(atB);
        sim.runFor(Duration.ofSeconds(10).plus(POLL));
        assertThat(ends).singleElement().asString().contains("its life ended");
        assertThatThrownBy(atA::countDown).isInstanceOf(IllegalStateException.class);
        assertThat(atB.trySetCount(2)).isTrue();
    }

    @Test
    void anOpenLatchGoesByItself() {
        atA.trySetCount(1);
        atA.countDown();
        sim.runFor(Duration.ofDays(6));
        assertThat(atA.trySetCount(1)).as("still open").isFalse();
        sim.runFor(Duration.ofDays(2));
        assertThat(atA.trySetCount(1)).isTrue();
    }

    @Test
    void aWaitSurvivesAnOutageOnceItWasAnswered() {
        atA.trySetCount(1);
        waiter(atB);
        faults(b).outage(true);
        sim.runFor(Duration.ofSeconds(20));
        atA.countDown();
        assertThat(ends).isEmpty();
        faults(b).outage(false);
        sim.runFor(POLL);
        assertThat(ends).containsExactly("open");
    }

    @Test
    void aWaitEndsWithALongOutageOrWithoutAFirstAnswer() {
        atA.trySetCount(1);
        CompletableFuture<Void> waiting = atB.async().await();
        sim.runFor(SHORT);
        faults(b).outage(true);
        assertThatThrownBy(atB::await)
                .isInstanceOf(StoreUnavailableException.class)
                .hasMessageContaining("latch 'n'");
        sim.runFor(Duration.ofSeconds(25));
        assertThat(waiting).isNotDone();
        sim.runFor(Duration.ofSeconds(10));
        assertThat(waiting)
                .failsWithin(Duration.ZERO)
                .withThrowableThat()
                .havingCause()
                .isInstanceOf(StoreUnavailableException.class);
        faults(b).outage(false);
    }

    @Test
    void anOutageBeginsWithTheFirstRequestThatWasNotAnswered() {
        atA.trySetCount(1);
        CompletableFuture<Void> waiting = atB.async().await();
        sim.runFor(SHORT);
        faults(b).probability(Fault.DROP_REQUEST, 1);
        sim.runFor(Duration.ofSeconds(30));
        assertThat(waiting).isNotDone();
        sim.runFor(POLL);
        assertThat(waiting).isCompletedExceptionally();
        faults(b).probability(Fault.DROP_REQUEST, 0);
    }

    @Test
    void aFirstWaitThatJoinsASilentCallHasTheCommandTimeout() {
        faults(b).probability(Fault.DROP_REQUEST, 1);
        CompletableFuture<Void> first = atB.async().await();
        sim.runFor(Duration.ofSeconds(1));
        CompletableFuture<Void> second = atB.async().await();
        sim.runFor(Duration.ofSeconds(1));
        assertThat(first).isCompletedExceptionally();
        assertThat(second).isNotDone();
        sim.runFor(Duration.ofSeconds(1));
        assertThat(second)
                .failsWithin(Duration.ZERO)
                .withThrowableThat()
                .havingCause()
                .isInstanceOf(StoreUnavailableException.class);
        faults(b).probability(Fault.DROP_REQUEST, 0);
    }

    @Test
    void aPauseDoesNotOutlastThePatienceOfAWait() {
        faults(b).outage(true);
        CompletableFuture<Void> waiting = atB.async().await();
        sim.runFor(Duration.ofSeconds(2));
        assertThat(waiting)
                .failsWithin(Duration.ZERO)
                .withThrowableThat()
                .havingCause()
                .withMessageContaining("the store cannot be reached");
        faults(b).outage(false);
    }

    @Test
    void aFutureCanBeCancelledAndHasItsTime() {
        atA.trySetCount(1);
        CompletableFuture<Void> cancelled = atB.async().await();
        CompletableFuture<Boolean> brief = atB.async().await(Duration.ofSeconds(3));
        CompletableFuture<Void> open = atB.async().await();
        sim.runFor(SHORT);
        cancelled.cancel(true);
        sim.runFor(Duration.ofSeconds(4));
        assertThat(brief).isCompletedWithValue(false);
        atA.countDown();
        sim.runFor(SHORT);
        assertThat(open).isCompleted();
        long before = calls(b);
        sim.runFor(Duration.ofSeconds(5));
        assertThat(calls(b) - before).as("nobody waits any more").isZero();
    }

    @Test
    void whoLeavesIsToldNoMore() throws InterruptedException {
        atA.trySetCount(1);
        assertThat(atB.await(Duration.ofSeconds(2))).isFalse();
        sim.runFor(SHORT);
        long before = b.stats().signals();
        atA.countDown();
        sim.runFor(SHORT);
        assertThat(b.stats().signals()).isEqualTo(before);
    }

    @Test
    void aCountThatOvertakesAWaitDoesNotUnsubscribeIt() {
        atA.trySetCount(1);
        var request = faults(b).holdRequest(Operation.COUNT);
        SimThread counter = start("counter", () -> assertThat(atB.count()).isEqualTo(1));
        sim.runUntil(request::isCaught, LONG);
        waiter(atB);
        request.letGo();
        sim.runFor(SHORT);
        counter.join();
        atA.countDown();
        sim.runFor(SHORT);
        assertThat(ends).containsExactly("open");
    }

    @Test
    void aWaiterThatLeavesDoesNotUnsubscribeTheNext() {
        atA.trySetCount(1);
        SimThread first = waiter(atB);
        var request = faults(b).holdRequest(Operation.COUNT);
        first.interrupt();
        sim.runUntil(request::isCaught, LONG);
        waiter(atB);
        request.letGo();
        sim.runFor(SHORT);
        atA.countDown();
        sim.runFor(SHORT);
        assertThat(ends).containsExactly("interrupted", "open");
    }

    @Test
    void aClosedClientEndsItsWaits() {
        Holdfast c = client("c");
        DistributedLatch atC = c.countDownLatch("n");
        atA.trySetCount(1);
        waiter(atC);
        c.close();
        sim.runReady();
        assertThat(ends).containsExactly("latch 'n': the client c is closed");
        assertThatThrownBy(atC::count).isInstanceOf(IllegalStateException.class).hasMessageContaining("is closed");
        assertThatThrownBy(atC::await).isInstanceOf(IllegalStateException.class).hasMessageContaining("is closed");
        assertThat(Optional.of(atC.name())).contains("n");
    }
}
