package io.holdfast.testkit.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.holdfast.Holdfast;
import io.holdfast.HoldfastException;
import io.holdfast.Lease;
import io.holdfast.LeaseLostException;
import io.holdfast.LockEvent;
import io.holdfast.LockTimeoutException;
import io.holdfast.OnMaxHold;
import io.holdfast.recipes.QuorumLease;
import io.holdfast.recipes.QuorumLock;
import io.holdfast.testkit.SimThread;
import io.holdfast.testkit.faults.Held;
import io.holdfast.testkit.faults.Operation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** A lock over five servers, by lease and by future. */
class QuorumLeaseTest extends FiveServers {

    // ---- blocking

    @Test
    void aLeaseSaysAtHowManyServersItIsHeld() throws InterruptedException {
        try (QuorumLease lease = lockA.acquire()) {
            sim.runReady();
            assertThat(lease.name()).isEqualTo("n");
            assertThat(lease.heldAt()).isEqualTo(SERVERS);
            assertThat(lease.isValid()).isTrue();
            assertThat(lease.remainingLease()).isGreaterThan(Duration.ofSeconds(25));
            forceAt(4);
            assertThat(lease.heldAt()).isEqualTo(4);
            assertThat(lease.toString()).contains("quorum lock 'n' of 5 servers", "valid at 4");
        }
        assertFree();
    }

    @Test
    void aTimedOutAcquireSaysSo() {
        lockB.lock();
        assertThatThrownBy(() -> lockA.acquire(Duration.ofMillis(700)))
                .isInstanceOf(LockTimeoutException.class)
                .hasMessageContainingAll("'n'", "5 servers", "700 ms");
        assertThat(lockA.tryAcquire()).isEmpty();
        lockB.unlock();
    }

    @Test
    void nothingIsToldAfterTheCloseAndNothingIsLeftOfIt() throws InterruptedException {
        QuorumLease lease = lockA.acquire();
        List<LeaseLostException> told = new ArrayList<>();
        lease.onLost(told::add);
        lease.close();
        lease.close();
        assertThat(lease.isValid()).isFalse();
        assertThat(lease.remainingLease()).isZero();
        assertThatThrownBy(() -> lease.ensureValid(Duration.ZERO))
                .isInstanceOf(LeaseLostException.class)
                .hasMessageContaining("closed");
        long calls = calls(ofA.get(0));
        sim.runFor(LEASE.multipliedBy(2));
        assertThat(told).isEmpty();
        assertThat(calls(ofA.get(0))).isEqualTo(calls);
    }

    @Test
    void aForgottenLeaseIsRenewedNowhere() throws InterruptedException {
        forget();
        for (int i = 0; i < 50 && events(LockEvent.Abandoned.class).size() < SERVERS; i++) {
            System.gc();
            sim.runFor(SECOND);
        }
        assertThat(events(LockEvent.Abandoned.class)).hasSize(SERVERS);
        sim.runFor(LEASE);
    }

    @CanIgnoreReturnValue
    private boolean forget() throws InterruptedException {
        QuorumLease lease = lockA.acquire();
        lease.onLost(loss -> lease.close());
        sim.runReady();
        return lease.isValid();
    }

    @Test
    void aClockStepPutsTheHoldInDoubtUntilAMajorityHasConfirmed() throws InterruptedException {
        QuorumLease lease = lockA.acquire();
        sim.runReady();
        hang(0);
        hang(1);
        sim.stepWallClock(SECOND.multipliedBy(10));
        assertThat(lease.isValid()).isFalse();
        sim.runFor(SECOND);
        assertThat(lease.isValid()).isTrue();
        assertThat(lease.heldAt()).isEqualTo(3);
        lease.close();
    }

    @Test
    void anActionForTheLossMayCloseTheLeaseThoughNoClientIsOpen() throws InterruptedException {
        QuorumLease lease = lockA.acquire();
        sim.runReady();
        List<String> story = new ArrayList<>();
        for (int server = SERVERS - 1; server >= 0; server--) {
            ofA.get(server).close();
        }
        SimThread late = start(
                "late",
                () -> lease.onLost(loss -> {
                    assertThatThrownBy(lease::close)
                            .isInstanceOf(IllegalStateException.class)
                            .hasMessageContaining("5 of its clients were closed");
                    story.add("closed");
                }));
        sim.runFor(SECOND);
        assertThat(story).containsExactly("closed");
        late.join();
    }

    @Test
    void anActionForTheLossThatFailsHoldsUpNoEvent() throws InterruptedException {
        QuorumLease lease = lockA.acquire();
        sim.runReady();
        ofA.forEach(Holdfast::close);
        List<String> told = new ArrayList<>();
        start(
                        "careless",
                        () -> lease.onLost(loss -> {
                            throw new AssertionError("fails on purpose");
                        }))
                .join();
        lease.onLost(loss -> told.add("told"));
        assertThat(told).containsExactly("told");
        assertThatThrownBy(lease::close).isInstanceOf(IllegalStateException.class);
    }

    /** An error of which the first look at its message fails. */
    private static final class UnreadableOnce extends AssertionError {

        private static final long serialVersionUID = 1;

        private boolean read;

        @Override
        public String getMessage() {
            if (!read) {
                read = true;
                throw new StackOverflowError();
            }
            return "fails on purpose";
        }
    }

    @Test
    void anErrorThatCannotBeLoggedHoldsUpNoEvent() throws InterruptedException {
        QuorumLease lease = lockA.acquire();
        sim.runReady();
        ofA.forEach(Holdfast::close);
        lease.onLost(loss -> {
            throw new UnreadableOnce();
        });
        List<String> told = new ArrayList<>();
        lease.onLost(loss -> told.add("told"));
        assertThat(told).containsExactly("told");
        assertThatThrownBy(lease::close).isInstanceOf(IllegalStateException.class);
    }

    /** It is for single holds: each server would take its part away. */
    @Test
    void theMaxHoldOfTheClientsDoesNotEndTheHold() throws InterruptedException {
        List<Holdfast> limited = IntStream.range(0, SERVERS)
                .mapToObj(i -> client(
                        "limited" + i,
                        options -> options.uri("simulated:q" + i).maxHold(SECOND, OnMaxHold.STOP_RENEWING)))
                .toList();
        try (QuorumLease lease = QuorumLock.of(limited, "n").acquire()) {
            sim.runFor(SECOND.multipliedBy(5));
            assertThat(lease.heldAt()).isEqualTo(SERVERS);
        }
        assertThat(events(LockEvent.Lost.class)).isEmpty();
    }

    // ---- futures

    @Test
    void aFutureGetsTheLease() {
        QuorumLease lease = sim.await(lockA.async().acquire());
        assertThat(lease.isValid()).isTrue();
        assertThat(lockB.tryLock()).isFalse();
        sim.await(lease.closeAsync());
        sim.await(lease.closeAsync());
        assertFree();
    }

    @Test
    void aFutureWaits() {
        lockB.lock();
        CompletableFuture<QuorumLease> bounded = lockA.async().acquire(SECOND);
        CompletableFuture<Optional<QuorumLease>> tried = lockA.async().tryAcquire(SECOND);
        CompletableFuture<QuorumLease> patient = lockA.async().acquire();
        assertThat(sim.await(lockA.async().tryAcquire())).isEmpty();
        assertThat(sim.await(tried)).isEmpty();
        assertThatThrownBy(() -> sim.await(bounded)).isInstanceOf(LockTimeoutException.class);
        lockB.unlock();
        sim.await(sim.await(patient).closeAsync());
        QuorumLease own =
                sim.await(lockA.async().tryAcquire(Duration.ZERO, SECOND)).orElseThrow();
        assertThat(own.remainingLease()).isLessThanOrEqualTo(SECOND);
        own.close();
    }

    @Test
    void aFutureThatIsCancelledWithdraws() {
        lockB.lock();
        CompletableFuture<QuorumLease> future = lockA.async().acquire();
        sim.runFor(SECOND);
        future.cancel(true);
        sim.runReady();
        long calls = calls(ofA.get(0));
        sim.runFor(SECOND.multipliedBy(5));
        assertThat(calls(ofA.get(0))).isEqualTo(calls);
        lockB.unlock();
        sim.runFor(SECOND);
        assertFree();
    }

    @Test
    void aGrantToACancelledFutureIsGivenBack() {
        List<Held> replies = List.of(0, 1, 2).stream()
                .map(server -> faults(ofA, server).holdReply(Operation.ACQUIRE))
                .toList();
        CompletableFuture<QuorumLease> future = lockA.async().acquire();
        sim.runUntil(() -> replies.stream().allMatch(Held::isCaught), LONG);
        future.cancel(true);
        replies.forEach(Held::letGo);
        sim.runFor(SECOND);
        assertFree();
    }

    @Test
    void aFutureThatIsCancelledAtAnyMomentLeavesNothing() {
        for (int moment = 0; moment < 60; moment++) {
            CompletableFuture<QuorumLease> future = lockA.async().acquire();
            int[] looks = {moment};
            sim.passUntil(() -> looks[0]-- <= 0, SECOND);
            if (!future.cancel(true)) {
                sim.await(future.join().closeAsync());
            }
            sim.runFor(Duration.ofMillis(100));
            assertFree();
        }
    }

    @Test
    void aFutureFailsAsTheCallWould() {
        List.of(0, 1, 2).forEach(this::kill);
        assertThatThrownBy(() -> sim.await(lockA.async().acquire())).isInstanceOf(HoldfastException.class);
        List.of(0, 1, 2).forEach(this::heal);
        CompletableFuture<QuorumLease> waiting = waitingFuture();
        ofA.forEach(Holdfast::close);
        assertThatThrownBy(() -> sim.await(waiting))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("closed");
        lockB.unlock();
        assertThatThrownBy(() -> lockB.async().tryAcquire(Duration.ZERO, Duration.ofMillis(-1)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("'n'");
    }

    private CompletableFuture<QuorumLease> waitingFuture() {
        lockB.lock();
        CompletableFuture<QuorumLease> waiting = lockA.async().acquire();
        sim.runFor(SECOND);
        return waiting;
    }

    @Test
    void closingWithoutWaitingFailsWithALoss() throws InterruptedException {
        QuorumLease lease = lockA.acquire();
        sim.runReady();
        List.of(0, 1, 2).forEach(this::forceAt);
        assertThatThrownBy(() -> sim.await(lease.closeAsync()))
                .isInstanceOf(LeaseLostException.class)
                .hasMessageContaining("still held at 2");
        assertFree();
    }

    @Test
    void theLossOfAMajorityWaitsForNoActionOfAnotherLock() throws InterruptedException {
        QuorumLease lease = lockA.acquire();
        sim.runReady();
        List<Duration> told = new ArrayList<>();
        lease.onLost(loss -> told.add(sim.elapsed()));
        List<Lease> stuck = new ArrayList<>();
        for (int server = 1; server < 3; server++) {
            stuck.add(ofA.get(server).lock("stuck").acquire().onLost(loss -> sim.sleep(LEASE.multipliedBy(2))));
            ofC.get(server).lock("stuck").forceUnlock();
        }
        sim.runFor(Duration.ofMillis(100));
        Duration before = sim.elapsed();
        IntStream.range(0, 3).forEach(this::forceAt);
        sim.runFor(SECOND);
        assertThat(told).hasSize(1);
        assertThat(told.get(0).minus(before)).isLessThan(Duration.ofMillis(100));
        stuck.forEach(each -> assertThatThrownBy(each::close).isInstanceOf(LeaseLostException.class));
        assertThatThrownBy(lease::close).isInstanceOf(LeaseLostException.class);
        sim.runFor(LEASE.multipliedBy(3));
    }

    @Test
    void anActionForTheLossWaitsForNoOtherCodeOfUsers() throws InterruptedException {
        List<String> told = new ArrayList<>();
        QuorumLease lease = lockA.acquire();
        lease.onLost(loss -> told.add(loss.name()));
        for (int i = 0; i < 10; i++) {
            var unused = ofA.get(0).lock("stuck" + i).async().acquire().thenAccept(got -> {
                sim.sleep(LEASE);
                got.close();
            });
        }
        sim.runFor(Duration.ofMillis(10));
        List.of(0, 1, 2).forEach(this::forceAt);
        sim.runFor(Duration.ofMillis(10));
        assertThat(told).containsExactly("n");
        assertThatThrownBy(lease::close).isInstanceOf(LeaseLostException.class);
        sim.runFor(LEASE.multipliedBy(10));
    }

    @Test
    void aLossByTheCloseOfClientsSaysSo() throws InterruptedException {
        QuorumLease lease = lockA.acquire();
        sim.runReady();
        List<LeaseLostException> told = new ArrayList<>();
        lease.onLost(told::add);
        ofA.subList(0, 3).forEach(Holdfast::close);
        assertThatThrownBy(() -> lease.ensureValid(SECOND))
                .isInstanceOf(LeaseLostException.class)
                .hasMessageContaining("because 3 of its clients were closed");
        sim.runFor(LEASE);
        assertThat(told).hasSize(1);
        assertThatThrownBy(lease::close)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("3 of its clients were closed, which released everything that they held");
    }

    @Test
    void aSecondCloseReturnsWhenTheReleaseIsKnown() throws InterruptedException {
        QuorumLease lease = lockA.acquire();
        assertSecondCloseWaits(faults(ofA, 0), lease::close);
    }
}
