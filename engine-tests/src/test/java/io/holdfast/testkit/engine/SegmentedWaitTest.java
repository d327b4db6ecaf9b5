package io.holdfast.testkit.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.Holdfast;
import io.holdfast.HoldfastException;
import io.holdfast.LockTimeoutException;
import io.holdfast.StoreUnavailableException;
import io.holdfast.recipes.SegmentLease;
import io.holdfast.recipes.SegmentedLock;
import io.holdfast.testkit.SimThread;
import io.holdfast.testkit.faults.Fault;
import io.holdfast.testkit.faults.Held;
import io.holdfast.testkit.faults.Operation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** All segments are held, and somebody waits for any of them. */
class SegmentedWaitTest extends VirtualTime {

    private static final int SEGMENTS = 4;

    private final SegmentedLock stock = SegmentedLock.of(a, "stock", SEGMENTS);
    private final List<SegmentLease> held = new ArrayList<>();
    private final List<Integer> got = new ArrayList<>();

    @BeforeEach
    void holdAll() {
        stock.tryAcquireAny().orElseThrow().close();
        SegmentedLock theirs = SegmentedLock.of(b, "stock", SEGMENTS);
        for (int i = 0; i < SEGMENTS; i++) {
            held.add(theirs.startingAt(i).tryAcquireAny().orElseThrow());
        }
    }

    @AfterEach
    void nothingIsLeft() {
        faults(a).outage(false);
        held.forEach(SegmentLease::close);
        assertNothingIsLeft();
    }

    private SimThread waiter() {
        return start("waiter", () -> {
            try (SegmentLease lease = stock.acquireAny()) {
                got.add(lease.segment());
            }
        });
    }

    @Test
    void whichEverIsFreedIsFoundWithinASecond() {
        for (int freed = 0; freed < SEGMENTS; freed++) {
            SimThread waiter = waiter();
            sim.runFor(Duration.ofSeconds(7));
            assertThat(waiter.done()).isFalse();
            held.get(freed).close();
            sim.runUntil(waiter::done, Duration.ofSeconds(1));
            waiter.join();
            assertThat(got).last().isEqualTo(freed);
            held.set(
                    freed,
                    SegmentedLock.of(b, "stock", SEGMENTS)
                            .startingAt(freed)
                            .tryAcquireAny()
                            .orElseThrow());
        }
    }

    @Test
    void aWaitThatPassesSaysForHowLongAndWhoHolds() {
        Duration before = sim.elapsed();
        assertThatThrownBy(() -> stock.acquireAny(Duration.ofMillis(500)))
                .isInstanceOf(LockTimeoutException.class)
                .hasMessageContaining(
                        "segmented lock 'stock': none of 4 segments was acquired within 500 ms; one of them:")
                .hasMessageContaining("client " + b.clientId())
                .hasMessageContaining("token " + held.get(0).fencingToken())
                .satisfies(e -> assertThat(((HoldfastException) e).name()).isEqualTo("stock"));
        assertThat(sim.elapsed().minus(before)).isEqualTo(Duration.ofMillis(500));
    }

    @Test
    void aWaitThatPassesIsEmpty() throws InterruptedException {
        Duration before = sim.elapsed();
        assertThat(stock.tryAcquireAny(Duration.ofMillis(2345))).isEmpty();
        assertThat(sim.elapsed().minus(before)).isEqualTo(Duration.ofMillis(2345));
    }

    @Test
    void waitsOfZeroOrLessAskEachOnce() throws InterruptedException {
        Duration before = sim.elapsed();
        long calls = calls(a);
        assertThat(stock.tryAcquireAny(Duration.ZERO)).isEmpty();
        assertThat(stock.tryAcquireAny(Duration.ofSeconds(Long.MIN_VALUE))).isEmpty();
        assertThat(calls(a) - calls).isEqualTo(2 * SEGMENTS);
        assertThatThrownBy(() -> stock.acquireAny(Duration.ofDays(-1))).isInstanceOf(LockTimeoutException.class);
        assertThat(sim.elapsed()).isEqualTo(before);
    }

    /** The first segment is freed after it was asked for, and before the second one has answered. */
    private void freeTheFirstAtTheLastMoment(Held first) {
        sim.runUntil(first::isCaught, LONG);
        Held second = faults(a).holdReply(Operation.ACQUIRE);
        first.letGo();
        sim.runUntil(second::isCaught, LONG);
        held.get(1).close();
        second.letGo();
        sim.runReady();
    }

    @Test
    void theLastTryMayFindASegmentFree() {
        Held first = faults(a).holdReply(Operation.ACQUIRE);
        SegmentedLock two = stock.without(0, 3).startingAt(1);
        SimThread waiter = start("waiter", () -> {
            try (SegmentLease lease = two.acquireAny(Duration.ZERO)) {
                got.add(lease.segment());
            }
        });
        freeTheFirstAtTheLastMoment(first);
        waiter.join();
        assertThat(got).containsExactly(1);
    }

    @Test
    void theLastTryOfAFutureMayFindASegmentFree() {
        Held first = faults(a).holdReply(Operation.ACQUIRE);
        CompletableFuture<SegmentLease> future =
                stock.without(0, 3).startingAt(1).async().acquireAny(Duration.ZERO);
        freeTheFirstAtTheLastMoment(first);
        try (SegmentLease lease = sim.await(future)) {
            assertThat(lease.segment()).isEqualTo(1);
        }
    }

    @Test
    void theNumberOfStoreCallsIsBounded() throws InterruptedException {
        long before = calls(a);
        assertThat(stock.tryAcquireAny(Duration.ofSeconds(60))).isEmpty();
        long rounds = 7 + 2 * 60;
        assertThat(calls(a) - before).isBetween(60L * SEGMENTS, rounds * (SEGMENTS + 2));
    }

    @Test
    void theFirstSecondCostsNoMoreThanItMay() throws InterruptedException {
        long before = calls(a);
        assertThat(stock.tryAcquireAny(Duration.ofSeconds(1))).isEmpty();
        assertThat(calls(a) - before).isBetween(4L * SEGMENTS, 9L * (SEGMENTS + 2));
    }

    @Test
    void theOnlyOneLeftIsAwaitedInItsQueue() {
        long before = calls(a);
        SimThread waiter = start("waiter", () -> {
            try (SegmentLease lease = stock.without(0, 1, 3).acquireAny()) {
                assertThat(lease.segment()).isEqualTo(2);
            }
        });
        sim.runFor(Duration.ofSeconds(10));
        assertThat(calls(a) - before).as("about one a second").isLessThan(20);
        assertThat(b.inspect("stock#2").waiters()).hasSize(1);
        held.get(2).close();
        sim.runUntil(waiter::done, Duration.ofMillis(10));
        waiter.join();
    }

    @Test
    void anInterruptEndsTheWaitAndLeavesNothing() {
        SimThread waiter = waiter();
        sim.runFor(Duration.ofMillis(1234));
        waiter.interrupt();
        sim.runUntil(waiter::done, Duration.ofMillis(10));
        assertThat(waiter.failure()).containsInstanceOf(InterruptedException.class);
        sim.runFor(Duration.ofMillis(10));
        for (int i = 0; i < SEGMENTS; i++) {
            assertThat(b.inspect("stock#" + i).waiters()).isEmpty();
        }
    }

    @Test
    void anInterruptOnEntryIsNotWaitedWith() {
        Thread.currentThread().interrupt();
        assertThat(stock.tryAcquireAny()).isEmpty();
        assertThat(Thread.currentThread().isInterrupted())
                .as("kept by who is not interruptible")
                .isTrue();
        assertThatThrownBy(stock::acquireAny).isInstanceOf(InterruptedException.class);
        assertThat(Thread.currentThread().isInterrupted()).isFalse();
    }

    @Test
    void aStoreThatIsSilentAtTheFirstRoundIsNotHeld() {
        faults(a).outage(true);
        Duration before = sim.elapsed();
        assertThatThrownBy(stock::tryAcquireAny).isInstanceOf(StoreUnavailableException.class);
        assertThatThrownBy(stock::acquireAny).isInstanceOf(StoreUnavailableException.class);
        assertThat(sim.elapsed().minus(before)).isEqualTo(Duration.ofSeconds(4));
    }

    @Test
    void oneThatWaitsStaysThroughAnOutage() {
        SimThread waiter = waiter();
        CompletableFuture<SegmentLease> future = stock.async().acquireAny();
        sim.runFor(Duration.ofSeconds(3));
        faults(a).outage(true);
        sim.runFor(Duration.ofSeconds(25));
        assertThat(waiter.done()).isFalse();
        assertThat(future).isNotDone();
        faults(a).outage(false);
        held.get(1).close();
        held.get(3).close();
        sim.runUntil(() -> waiter.done() && future.isDone(), Duration.ofSeconds(4));
        waiter.join();
        sim.await(future).close();
    }

    @Test
    void oneThatWaitsGivesUpAfterTheLongestOutage() {
        SimThread waiter = waiter();
        CompletableFuture<SegmentLease> future = stock.async().acquireAny();
        sim.runFor(Duration.ofSeconds(3));
        faults(a).outage(true);
        sim.runFor(Duration.ofSeconds(29));
        assertThat(waiter.done()).isFalse();
        assertThat(future).isNotDone();
        sim.runUntil(() -> waiter.done() && future.isDone(), Duration.ofSeconds(6));
        assertThat(waiter.failure()).containsInstanceOf(StoreUnavailableException.class);
        assertThatThrownBy(() -> sim.await(future)).isInstanceOf(StoreUnavailableException.class);
    }

    @Test
    void aLaterOutageIsAnotherOne() {
        SimThread waiter = waiter();
        sim.runFor(Duration.ofSeconds(3));
        for (int i = 0; i < 2; i++) {
            faults(a).outage(true);
            sim.runFor(Duration.ofSeconds(25));
            faults(a).outage(false);
            sim.runFor(Duration.ofSeconds(60));
            assertThat(waiter.done()).isFalse();
        }
        held.get(1).close();
        sim.runUntil(waiter::done, Duration.ofSeconds(4));
        waiter.join();
    }

    @Test
    void aWaitThatEndsInAnOutageIsNotHeld() {
        SimThread waiter = start(
                "waiter",
                () -> assertThatThrownBy(() -> stock.tryAcquireAny(Duration.ofSeconds(10)))
                        .isInstanceOf(HoldfastException.class)
                        .isNotInstanceOf(LockTimeoutException.class));
        sim.runFor(Duration.ofSeconds(3));
        faults(a).probability(Fault.DROP_REQUEST, 1.0);
        waiter.join();
        assertThat(sim.elapsed()).isLessThan(Duration.ofSeconds(13));
        faults(a).probability(Fault.DROP_REQUEST, 0.0);
    }

    @Test
    void theEndOfTheClientEndsTheWait() {
        Holdfast c = client("c");
        SimThread waiter = start(
                "waiter",
                () -> assertThatThrownBy(SegmentedLock.of(c, "stock", SEGMENTS)::acquireAny)
                        .isInstanceOf(IllegalStateException.class)
                        .hasMessageContaining("client c is closed"));
        CompletableFuture<SegmentLease> future =
                SegmentedLock.of(c, "stock", SEGMENTS).async().acquireAny();
        sim.runFor(Duration.ofSeconds(5));
        c.close();
        waiter.join();
        sim.runReady();
        assertThat(future).isCompletedExceptionally();
        assertThatThrownBy(() -> sim.await(future)).hasMessageContaining("client c is closed");
    }
}
