package io.holdfast.testkit.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LeaseLostException;
import io.holdfast.LockEvent;
import io.holdfast.LockOptions;
import io.holdfast.LockTimeoutException;
import io.holdfast.StoreUnavailableException;
import io.holdfast.recipes.MultiLease;
import io.holdfast.recipes.MultiLock;
import io.holdfast.testkit.SimThread;
import io.holdfast.testkit.faults.Held;
import io.holdfast.testkit.faults.Operation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.junit.jupiter.api.Test;

/** All or nothing by lease and by future, over two stores. */
class MultiLeaseTest extends TwoStores {

    private static final Duration SECOND = Duration.ofSeconds(1);

    // ---- blocking

    @Test
    void aLeaseHasATokenForEachMember() throws InterruptedException {
        try (MultiLease lease = both.acquire()) {
            assertThat(lease.names()).containsExactly("1", "2");
            assertThat(lease.fencingToken(one))
                    .isEqualTo(one.holder().orElseThrow().fencingToken().orElseThrow());
            assertThat(lease.fencingToken(two))
                    .isEqualTo(two.holder().orElseThrow().fencingToken().orElseThrow());
            assertThat(lease.fencingToken(oneOfB)).as("the same lock").isEqualTo(lease.fencingToken(one));
            assertThatThrownBy(() -> lease.fencingToken(a.lock("3")))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("'3'");
            assertThat(lease.isValid()).isTrue();
            assertThat(lease.remainingLease()).isGreaterThan(Duration.ofSeconds(25));
        }
        assertFree(one);
        assertFree(two);
    }

    @Test
    void aTimedOutAcquireSaysWhichMemberAndWhoHoldsIt() {
        twoOfB.lock();
        assertThatThrownBy(() -> both.acquire(Duration.ofMillis(700)))
                .isInstanceOfSatisfying(
                        LockTimeoutException.class, e -> assertThat(e.name()).isEqualTo("2"))
                .hasMessageContainingAll("'1'", "'2'", "700 ms", "held by", otherB.clientId());
        assertFree(one);
        assertThat(both.tryAcquire()).isEmpty();
        assertFree(one);
        twoOfB.unlock();
    }

    @Test
    void theWaitMayPassBeforeTheLastMemberIsAskedFor() {
        Held slow = faults(a).holdReply(Operation.ACQUIRE);
        SimThread waiter = start(
                "waiter",
                () -> assertThatThrownBy(() -> both.acquire(SECOND))
                        .isInstanceOf(LockTimeoutException.class)
                        .hasMessageContaining("before every member had been requested"));
        sim.runFor(Duration.ofMillis(1_100));
        slow.letGo();
        waiter.join();
        assertThat(calls(otherA)).isZero();
        assertFree(one);
    }

    @Test
    void aLossIsToldOnceAndTheOthersAreReleased() throws InterruptedException {
        MultiLease lease = both.acquire();
        List<String> told = new ArrayList<>();
        lease.onLost(loss -> told.add(loss.name()));
        oneOfB.forceUnlock();
        sim.runReady();
        assertThat(told).containsExactly("1");
        assertThat(lease.isValid()).isFalse();
        assertThat(lease.remainingLease()).isZero();
        assertThatThrownBy(() -> lease.ensureValid(Duration.ZERO)).isInstanceOf(LeaseLostException.class);
        twoOfB.forceUnlock();
        sim.runReady();
        assertThat(told).containsExactly("1");
        lease.onLost(loss -> told.add("late"));
        sim.runReady();
        assertThat(told).containsExactly("1", "late");
        assertThatThrownBy(lease::close).isInstanceOf(LeaseLostException.class);
        lease.close();
    }

    @Test
    void everyMemberIsReleasedThoughOneIsLost() throws InterruptedException {
        MultiLease lease = both.acquire();
        twoOfB.forceUnlock();
        sim.runReady();
        assertThatThrownBy(lease::close)
                .isInstanceOfSatisfying(
                        LeaseLostException.class,
                        loss -> assertThat(loss.name()).isEqualTo("2"));
        assertFree(one);
        lease.close();
    }

    @Test
    void nothingIsToldAfterTheClose() throws InterruptedException {
        MultiLease lease = both.acquire();
        List<LeaseLostException> told = new ArrayList<>();
        lease.onLost(told::add);
        lease.close();
        sim.runFor(LEASE.multipliedBy(2));
        assertThat(told).isEmpty();
    }

    @Test
    void validityIsEnsuredForAllMembers() throws InterruptedException {
        try (MultiLease lease = both.acquire()) {
            sim.runFor(Duration.ofSeconds(8));
            long before = calls(a) + calls(otherA);
            lease.ensureValid(Duration.ofSeconds(29));
            assertThat(calls(a) + calls(otherA) - before).isEqualTo(2);
            assertThat(lease.remainingLease()).isGreaterThan(Duration.ofSeconds(29));
        }
    }

    @Test
    void validityThatTheLastMemberUsedUpIsRenewed() throws InterruptedException {
        DistributedLock shorter = otherA.lock("2", LockOptions.defaults().withLease(Duration.ofSeconds(24)));
        Duration wanted = Duration.ofMillis(23_200);
        try (MultiLease lease = MultiLock.of(one, shorter).acquire()) {
            sim.runFor(Duration.ofMillis(6_300));
            SimThread slow = slowly(List.of(otherFaults().holdReply(Operation.RENEW)), Duration.ofMillis(400));
            assertThat(one.holder().orElseThrow().remainingLease())
                    .as("enough, but not for as long as the other member takes")
                    .isBetween(wanted.plusMillis(400), wanted.plusMillis(600));
            lease.ensureValid(wanted);
            assertThat(lease.remainingLease()).isGreaterThan(wanted);
            slow.join();
        }
    }

    @Test
    void validityThatRenewalUsesUpIsNotPromised() throws InterruptedException {
        List<Held> replies = new ArrayList<>();
        for (int round = 0; round < 3; round++) {
            replies.add(faults(a).holdReply(Operation.RENEW));
            replies.add(otherFaults().holdReply(Operation.RENEW));
        }
        try (MultiLease lease = both.acquire()) {
            sim.runFor(Duration.ofSeconds(8));
            SimThread slow = slowly(replies, Duration.ofMillis(200));
            assertThatThrownBy(() -> lease.ensureValid(Duration.ofMillis(29_400)))
                    .isInstanceOf(StoreUnavailableException.class)
                    .hasMessageContaining("too slowly");
            assertThat(lease.isValid()).isTrue();
            slow.join();
        }
    }

    /** Lets each reply go, one after the other, some time after it was caught. */
    private SimThread slowly(List<Held> replies, Duration delay) {
        return start("slow", () -> {
            for (Held reply : replies) {
                while (!reply.isCaught()) {
                    sim.sleep(Duration.ofMillis(1));
                }
                sim.sleep(delay);
                reply.letGo();
            }
        });
    }

    @Test
    void aLeaseOfItsOwnEndsWithItsFirstMemberAndIsExtendedAsAWhole() throws InterruptedException {
        MultiLease lease = both.tryAcquire(Duration.ZERO, SECOND).orElseThrow();
        sim.runFor(Duration.ofMillis(500));
        assertThat(lease.remainingLease()).isLessThan(Duration.ofMillis(500));
        lease.extend(Duration.ofSeconds(5));
        assertThat(lease.remainingLease()).isGreaterThan(Duration.ofSeconds(4));
        sim.runFor(Duration.ofSeconds(6));
        assertThat(lease.isValid()).isFalse();
        assertThatThrownBy(lease::close).isInstanceOf(LeaseLostException.class);
    }

    @Test
    void aForgottenLeaseIsRenewedInNoStore() throws InterruptedException {
        forget();
        for (int i = 0; i < 50 && events(LockEvent.Abandoned.class).size() < 2; i++) {
            System.gc();
            sim.runFor(SECOND);
        }
        assertThat(events(LockEvent.Abandoned.class)).hasSize(2);
        sim.runFor(LEASE);
    }

    @CanIgnoreReturnValue
    private boolean forget() throws InterruptedException {
        MultiLease lease = both.acquire();
        lease.onLost(loss -> lease.close());
        return lease.isValid();
    }

    // ---- futures

    @Test
    void aFutureGetsAllMembers() {
        MultiLease lease = sim.await(both.async().acquire());
        assertThat(lease.isValid()).isTrue();
        assertThat(oneOfB.tryLock()).isFalse();
        assertThat(twoOfB.tryLock()).isFalse();
        sim.await(lease.closeAsync());
        sim.await(lease.closeAsync());
        assertFree(one);
        assertFree(two);
    }

    @Test
    void aFutureWaitsForAllTogether() {
        oneOfB.lock();
        twoOfB.lock();
        CompletableFuture<MultiLease> bounded = both.async().acquire(SECOND);
        CompletableFuture<Optional<MultiLease>> tried = both.async().tryAcquire(SECOND);
        assertThat(sim.await(both.async().tryAcquire())).isEmpty();
        sim.runFor(Duration.ofMillis(600));
        oneOfB.unlock();
        sim.runFor(Duration.ofMillis(600));
        assertThat(tried).isDone();
        assertThat(tried.join()).isEmpty();
        assertThatThrownBy(() -> sim.await(bounded))
                .isInstanceOf(LockTimeoutException.class)
                .hasMessageContainingAll("multi-lock", "'2'");
        assertFree(one);
        twoOfB.unlock();
    }

    // ---- an executor for callbacks that runs nothing, or runs it late

    private Holdfast calledBackBy(Executor callbacks) {
        return client("slow", options -> options.uri("simulated:t").callbackExecutor(callbacks));
    }

    @Test
    void releasesTheFirstMemberAtTheTimeoutThoughTheExecutorRunsNothing() {
        twoOfB.lock();
        Holdfast slow = calledBackBy(task -> {});
        CompletableFuture<Optional<MultiLease>> tried =
                MultiLock.of(one, slow.lock("2")).async().tryAcquire(SECOND);
        sim.runFor(SECOND.dividedBy(2));
        assertThat(one.isLocked()).isTrue();
        sim.runFor(SECOND.multipliedBy(2));
        assertThat(tried).isCompletedWithValueMatching(Optional::isEmpty);
        assertFree(one);
        twoOfB.unlock();
    }

    @Test
    void releasesTheFirstMemberAtTheCloseOfAnotherThoughTheExecutorRunsNothing() {
        twoOfB.lock();
        Holdfast slow = calledBackBy(task -> {});
        CompletableFuture<MultiLease> future =
                MultiLock.of(one, slow.lock("2")).async().acquire();
        sim.runFor(SECOND);
        slow.close();
        sim.runFor(SECOND);
        assertThat(future).isCompletedExceptionally();
        assertFree(one);
        twoOfB.unlock();
    }

    @Test
    void aHoldThatIsNotDeliveredWithinItsLeaseIsReleasedAndAcquiredAgain() {
        List<Runnable> handed = new ArrayList<>();
        Holdfast slow = calledBackBy(handed::add);
        CompletableFuture<MultiLease> future =
                MultiLock.of(slow.lock("2"), slow.lock("3")).async().acquire();
        sim.runUntil(() -> !handed.isEmpty(), LONG);
        sim.runFor(LEASE.plus(SECOND));
        assertFree(two);
        assertThat(future).isNotDone();
        for (int i = 0; i < 3 && !future.isDone(); i++) {
            handed.remove(0).run();
            sim.runFor(SECOND);
        }
        assertThat(future).isDone();
        MultiLease lease = future.join();
        assertThat(lease.isValid()).isTrue();
        sim.runFor(LEASE.multipliedBy(2));
        assertThat(lease.isValid()).isTrue();
        lease.close();
        assertFree(two);
    }

    /** The thread on which the members complete also repeats releases and ends calls, which the close waits for. */
    @Test
    void completesOnAThreadForCallbacksWhileItsOnlyClientCloses() throws InterruptedException {
        twoOfB.lock();
        Lease held = otherA.lock("3").acquire();
        Held release = otherFaults().holdRequest(Operation.RELEASE);
        List<String> threads = new ArrayList<>();
        var unused = MultiLock.of(two)
                .async()
                .acquire()
                .whenComplete(
                        (lease, error) -> threads.add(Thread.currentThread().getName()));
        sim.runFor(SECOND);
        SimThread closing = start("closing", otherA::close);
        sim.runFor(SECOND);
        assertThat(closing.done()).isFalse();
        release.letGo();
        closing.join();
        assertThat(held.isValid()).isFalse();
        assertThat(threads).singleElement().asString().contains("callbacks");
        twoOfB.unlock();
    }

    @Test
    void endsAfterFourHoldsThatAreNotDeliveredWithinTheirLeases() {
        List<Runnable> handed = new ArrayList<>();
        CompletableFuture<Optional<MultiLease>> tried =
                MultiLock.of(calledBackBy(handed::add).lock("2")).async().tryAcquire();
        for (int i = 0; i < 10 && !tried.isDone(); i++) {
            sim.runUntil(() -> !handed.isEmpty(), LONG);
            sim.runFor(LEASE.plus(SECOND));
            handed.remove(0).run();
        }
        assertThat(tried)
                .failsWithin(Duration.ZERO)
                .withThrowableThat()
                .havingCause()
                .isInstanceOf(StoreUnavailableException.class)
                .withMessageContaining("an executor for callbacks that is not blocked");
        assertFree(two);
    }

    /** The release of the hold that was not delivered is slow, so the store would refuse the next request because of it. */
    @Test
    void isNotBusyByItsHoldThatWasNotDelivered() {
        List<Runnable> handed = new ArrayList<>();
        Holdfast slow = calledBackBy(handed::add);
        CompletableFuture<Optional<MultiLease>> tried =
                MultiLock.of(slow.lock("2")).async().tryAcquire();
        sim.runUntil(() -> !handed.isEmpty(), LONG);
        Held release = otherServer.connection(slow.clientId()).faults().holdRequest(Operation.RELEASE);
        sim.runUntil(release::isCaught, LONG);
        handed.remove(0).run();
        sim.runReady();
        assertThat(tried).isNotDone();
        release.letGo();
        sim.runUntil(() -> !handed.isEmpty(), LONG);
        handed.remove(0).run();
        assertThat(tried).isCompletedWithValueMatching(Optional::isPresent);
        tried.join().orElseThrow().close();
    }

    @Test
    void aHoldOfACanceledFutureThatIsNotDeliveredIsReleased() {
        List<Runnable> handed = new ArrayList<>();
        CompletableFuture<MultiLease> future =
                MultiLock.of(calledBackBy(handed::add).lock("2")).async().acquire();
        sim.runUntil(() -> !handed.isEmpty(), LONG);
        future.cancel(false);
        sim.runFor(LEASE.plus(SECOND));
        assertFree(two);
        for (int i = 0; i < 3 && !handed.isEmpty(); i++) {
            handed.remove(0).run();
            sim.runFor(SECOND);
        }
        assertThat(handed).isEmpty();
        assertFree(two);
    }

    /** Callbacks that block on the first member take all threads of the executor of its client. */
    @Test
    void acquiresThoughAllCallbacksWaitForTheFirstMember() {
        twoOfB.lock();
        List<CompletableFuture<Void>> callbacks = new ArrayList<>();
        callbacks.add(both.async().acquire().thenAccept(MultiLease::close));
        sim.runFor(SECOND);
        for (int i = 0; i < 2; i++) {
            callbacks.add(a.lock("x" + i).async().acquire().thenAccept(lease -> {
                one.lock();
                one.unlock();
                lease.close();
            }));
        }
        sim.runFor(SECOND);
        twoOfB.unlock();
        sim.runUntil(() -> callbacks.stream().allMatch(CompletableFuture::isDone), LONG);
    }

    @Test
    void aFutureThatIsCancelledInTheMiddleLeavesNothing() {
        twoOfB.lock();
        CompletableFuture<MultiLease> future = both.async().acquire();
        sim.runFor(SECOND);
        assertThat(one.isLocked()).isTrue();
        future.cancel(true);
        sim.runFor(SECOND);
        assertFree(one);
        assertThat(otherB.inspect("2").waiters()).isEmpty();
        twoOfB.unlock();
    }

    @Test
    void aGrantToACancelledFutureIsGivenBack() {
        Held reply = otherFaults().holdReply(Operation.ACQUIRE);
        CompletableFuture<MultiLease> future = both.async().acquire();
        sim.runUntil(reply::isCaught, LONG);
        future.cancel(true);
        reply.letGo();
        sim.runFor(SECOND);
        assertFree(one);
        assertFree(two);
    }

    @Test
    void aFutureThatIsCancelledAtAnyMomentLeavesNothing() {
        for (int moment = 0; moment < 40; moment++) {
            CompletableFuture<MultiLease> future = both.async().acquire();
            int[] looks = {moment};
            sim.passUntil(() -> looks[0]-- <= 0, SECOND);
            if (!future.cancel(true)) {
                sim.await(future.join().closeAsync());
            }
            sim.runFor(Duration.ofMillis(100));
            assertFree(one);
            assertFree(two);
        }
    }

    @Test
    void aFutureFailsWithItsMemberAndLeavesNothing() {
        otherFaults().outage(true);
        assertThatThrownBy(() -> sim.await(both.async().acquire())).isInstanceOf(StoreUnavailableException.class);
        assertFree(one);
        otherFaults().outage(false);
        otherA.close();
        assertThatThrownBy(() -> sim.await(both.async().acquire()))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContainingAll("'2'", "closed");
        assertFree(one);
    }

    @Test
    void aFutureTakesAgainWhatWasLostMeanwhile() {
        twoOfB.lock();
        CompletableFuture<MultiLease> future = both.async().acquire();
        sim.runFor(SECOND);
        oneOfB.forceUnlock();
        sim.runFor(SECOND);
        assertThat(events(LockEvent.Lost.class)).hasSize(1);
        twoOfB.unlock();
        MultiLease lease = sim.await(future);
        assertThat(lease.isValid()).isTrue();
        assertThat(oneOfB.tryLock()).isFalse();
        lease.close();
    }

    @Test
    void closingWithoutWaitingReleasesEveryMemberAndFailsWithALoss() throws InterruptedException {
        MultiLease lease = both.acquire();
        twoOfB.forceUnlock();
        sim.runReady();
        assertThatThrownBy(() -> sim.await(lease.closeAsync()))
                .isInstanceOfSatisfying(
                        LeaseLostException.class,
                        loss -> assertThat(loss.name()).isEqualTo("2"));
        assertFree(one);
    }

    @Test
    void badArgumentsThrowAtTheCall() {
        assertThatThrownBy(() -> both.async().tryAcquire(Duration.ZERO, Duration.ofMillis(-1)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContainingAll("'1'", "'2'");
    }
}
