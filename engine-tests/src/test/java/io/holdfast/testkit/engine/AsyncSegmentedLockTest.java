package io.holdfast.testkit.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.Holdfast;
import io.holdfast.LockTimeoutException;
import io.holdfast.StoreUnavailableException;
import io.holdfast.recipes.AsyncSegmentedLock;
import io.holdfast.recipes.SegmentLease;
import io.holdfast.recipes.SegmentedLock;
import io.holdfast.testkit.faults.Held;
import io.holdfast.testkit.faults.Operation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Any segment, by a future. */
class AsyncSegmentedLockTest extends VirtualTime {

    private static final int SEGMENTS = 4;

    private final AsyncSegmentedLock stock =
            SegmentedLock.of(a, "stock", SEGMENTS).async();
    private final List<SegmentLease> held = new ArrayList<>();

    @AfterEach
    void nothingIsLeft() {
        held.forEach(SegmentLease::close);
        assertNothingIsLeft();
    }

    private void holdAll() {
        SegmentedLock theirs = SegmentedLock.of(b, "stock", SEGMENTS);
        for (int i = 0; i < SEGMENTS; i++) {
            held.add(theirs.startingAt(i).tryAcquireAny().orElseThrow());
        }
    }

    @Test
    void itMovesOnUntilAllAreTaken() {
        Set<Integer> taken = new TreeSet<>();
        for (int i = 0; i < SEGMENTS; i++) {
            held.add(sim.await(stock.tryAcquireAny()).orElseThrow());
            taken.add(held.get(i).segment());
        }
        assertThat(taken).hasSize(SEGMENTS);
        assertThat(sim.await(stock.tryAcquireAny())).isEmpty();
    }

    @Test
    void itWaitsForAnyThatIsFreed() {
        holdAll();
        CompletableFuture<SegmentLease> future = stock.acquireAny();
        sim.runFor(Duration.ofSeconds(5));
        assertThat(future).isNotDone();
        held.remove(2).close();
        sim.runFor(Duration.ofSeconds(1));
        assertThat(future).isDone();
        try (SegmentLease lease = future.join()) {
            assertThat(lease.segment()).isEqualTo(2);
        }
    }

    @Test
    void aWaitThatPassesFailsOrIsEmpty() {
        holdAll();
        Duration before = sim.elapsed();
        assertThat(sim.await(stock.tryAcquireAny(Duration.ofMillis(700)))).isEmpty();
        assertThat(sim.elapsed().minus(before)).isEqualTo(Duration.ofMillis(700));
        assertThatThrownBy(() -> sim.await(stock.acquireAny(Duration.ofMillis(300))))
                .isInstanceOf(LockTimeoutException.class)
                .hasMessageContaining("'stock': none of 4 segments was acquired within 300 ms")
                .hasMessageContaining(b.clientId());
    }

    @Test
    void cancellingWhileItWaitsLeavesNothing() {
        holdAll();
        CompletableFuture<SegmentLease> future = stock.acquireAny();
        sim.runFor(Duration.ofMillis(1234));
        assertThat(future.cancel(false)).isTrue();
        sim.runFor(Duration.ofMillis(10));
        for (int i = 0; i < SEGMENTS; i++) {
            assertThat(b.inspect("stock#" + i).waiters()).isEmpty();
        }
        long before = calls(a);
        sim.runFor(Duration.ofSeconds(10));
        assertThat(calls(a)).as("nobody goes on").isEqualTo(before);
    }

    @Test
    void cancellingWhileTheAnswerIsUnderWayGivesBackWhatItGrants() {
        Held reply = faults(a).holdReply(Operation.ACQUIRE);
        CompletableFuture<SegmentLease> future = stock.acquireAny();
        sim.runUntil(reply::isCaught, LONG);
        assertThat(future.cancel(false)).isTrue();
        reply.letGo();
        assertNothingIsLeft();
        assertThat(a.stats().grants()).isEqualTo(a.stats().releases());
    }

    @Test
    void completingItFromOutsideWithdrawsIt() {
        holdAll();
        CompletableFuture<SegmentLease> future = stock.acquireAny();
        sim.runFor(Duration.ofMillis(100));
        future.completeExceptionally(new IllegalStateException("enough"));
        held.forEach(SegmentLease::close);
        held.clear();
        sim.runFor(Duration.ofSeconds(3));
        assertThat(a.stats().held()).isZero();
    }

    @Test
    void aSilentStoreIsNotHeld() {
        faults(a).outage(true);
        assertThatThrownBy(() -> sim.await(stock.tryAcquireAny())).isInstanceOf(StoreUnavailableException.class);
        faults(a).outage(false);
    }

    @Test
    void itEndsOnTheUsersExecutor() {
        List<Runnable> handed = new ArrayList<>();
        Holdfast c = client("c", options -> options.callbackExecutor(handed::add));
        CompletableFuture<SegmentLease> future =
                SegmentedLock.of(c, "stock", SEGMENTS).async().acquireAny();
        sim.runFor(Duration.ofMillis(10));
        assertThat(future).isNotDone();
        handed.remove(0).run();
        assertThat(future).isDone();
        future.join().close();
    }

    @Test
    void manySegmentsAreAskedOneAfterTheOther() {
        SegmentedLock many = SegmentedLock.of(a, "many", 1024);
        for (int i = 0; i < 1024; i++) {
            held.add(many.tryAcquireAny().orElseThrow());
        }
        assertThat(sim.await(many.async().tryAcquireAny())).isEmpty();
    }
}
