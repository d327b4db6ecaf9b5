package io.holdfast.testkit.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LeaseLostException;
import io.holdfast.LockEvent;
import io.holdfast.StoreUnavailableException;
import io.holdfast.spi.Acquire;
import io.holdfast.spi.ForwardingStore;
import io.holdfast.spi.LockStore;
import io.holdfast.spi.Renew;
import io.holdfast.testkit.SimThread;
import io.holdfast.testkit.faults.Fault;
import io.holdfast.testkit.faults.Held;
import io.holdfast.testkit.faults.Operation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Until when a hold counts, by two clocks, and that its owner is told when it does not. */
class ValidityTest extends VirtualTime {

    private final DistributedLock lock = a.lock("n");

    @BeforeEach
    void firstContact() {
        lock.lock();
        lock.unlock();
    }

    @AfterEach
    void nothingIsLeft() {
        faults(a).outage(false);
        assertNothingIsLeft();
    }

    @Test
    void theDeadlineCountsFromBeforeTheRequestWasSent() throws InterruptedException {
        Held reply = faults(a).holdReply(Operation.ACQUIRE);
        SimThread letting = start("letting", () -> {
            sim.sleep(Duration.ofMillis(1500));
            reply.letGo();
        });
        try (Lease lease = lock.acquire()) {
            assertThat(lease.remainingLease())
                    .isEqualTo(LEASE.minus(Duration.ofMillis(1500))
                            .minus(LEASE.dividedBy(100))
                            .minus(Duration.ofMillis(2)));
        }
        letting.join();
    }

    @Test
    void aHoldWithoutAnsweredRenewalIsLostAtItsDeadlineAndItsOwnerIsTold() throws InterruptedException {
        Lease lease = lock.acquire();
        List<Duration> told = new ArrayList<>();
        lease.onLost(loss -> told.add(sim.elapsed()));
        Duration deadline = sim.elapsed().plus(lease.remainingLease());
        faults(a).outage(true);
        sim.runFor(lease.remainingLease().minusMillis(1));
        assertThat(lease.isValid()).isTrue();
        sim.runFor(Duration.ofMillis(2));
        assertThat(lease.isValid()).isFalse();
        assertThat(told).hasSize(1);
        assertThat(told.get(0)).isLessThanOrEqualTo(deadline.plusMillis(1));
        assertThat(events(LockEvent.Lost.class)).hasSize(1);
        assertThat(events(LockEvent.RenewalLate.class)).isNotEmpty();
        assertThatThrownBy(() -> lease.ensureValid(Duration.ZERO)).isInstanceOf(LeaseLostException.class);
        assertThatThrownBy(lease::close).isInstanceOf(LeaseLostException.class);
        lease.close();
    }

    @Test
    void aGrantThatCameTooLateIsGivenBackAndAskedForAgain() throws InterruptedException {
        DistributedLock brief = client("brief", options -> options.lease(Duration.ofMillis(100)))
                .lock("n");
        brief.lock();
        brief.unlock();
        Held reply = server.connections().get(2).faults().holdReply(Operation.ACQUIRE);
        SimThread letting = start("letting", () -> {
            sim.sleep(Duration.ofMillis(500));
            reply.letGo();
        });
        brief.lock();
        assertThat(brief.isValid()).isTrue();
        brief.unlock();
        letting.join();
    }

    @Test
    void aGrantThatWaitedInASuspendedMachineIsGivenBackAndAskedForAgain() {
        Held reply = faults(a).holdReply(Operation.ACQUIRE);
        SimThread owner = start("owner", () -> {
            lock.lock();
            assertThat(lock.isValid()).isTrue();
            lock.unlock();
        });
        sim.runUntil(reply::isCaught, LONG);
        reply.letGo();
        sim.suspend(Duration.ofSeconds(60));
        owner.join();
    }

    /** A store that keeps a tenure for three seconds only, whatever lease it is asked for. */
    private static final class ThreeSeconds extends ForwardingStore {

        private static final Duration VALID = Duration.ofSeconds(3);

        ThreeSeconds(LockStore store) {
            super(store);
        }

        @Override
        public CompletionStage<Acquire.Reply> acquire(Acquire request) {
            return super.acquire(request)
                    .thenApply(reply -> reply instanceof Acquire.Granted granted
                            ? new Acquire.Granted(
                                    granted.tokens(),
                                    VALID,
                                    granted.foreignWaiters(),
                                    granted.behind(),
                                    granted.permits(),
                                    granted.serverMicros())
                            : reply);
        }

        @Override
        public CompletionStage<List<Renew.Reply>> renew(List<Renew> batch) {
            return super.renew(batch)
                    .thenApply(replies -> replies.stream()
                            .map(reply -> reply instanceof Renew.Renewed renewed
                                    ? new Renew.Renewed(
                                            VALID, renewed.foreignWaiters(), renewed.tokens(), renewed.serverMicros())
                                    : reply)
                            .toList());
        }
    }

    @Test
    void theDeadlineCountsFromWhatTheStorePromises() throws InterruptedException {
        Holdfast brief =
                client("brief", options -> options.provider(provider(config -> new ThreeSeconds(server.open(config)))));
        Lease lease = brief.lock("m").acquire();
        assertThat(lease.remainingLease()).isBetween(Duration.ofSeconds(2), ThreeSeconds.VALID);
        sim.runFor(LEASE);
        assertThat(lease.isValid()).as("renewed in time").isTrue();
        assertThat(lease.remainingLease()).isBetween(Duration.ofSeconds(1), ThreeSeconds.VALID);
        faults(brief).outage(true);
        sim.runFor(ThreeSeconds.VALID);
        assertThat(lease.isValid()).as("not renewed").isFalse();
        faults(brief).outage(false);
        assertThatThrownBy(lease::close).isInstanceOf(LeaseLostException.class);
    }

    /** A store whose session is in doubt: it knows that it has a hold, but not for how long. */
    private static final class Doubtful extends ForwardingStore {

        boolean doubts;

        Doubtful(LockStore store) {
            super(store);
        }

        @Override
        public CompletionStage<List<Renew.Reply>> renew(List<Renew> batch) {
            return super.renew(batch)
                    .thenApply(replies -> replies.stream()
                            .map(reply -> doubts && reply instanceof Renew.Renewed renewed
                                    ? new Renew.Renewed(
                                            Duration.ZERO,
                                            renewed.foreignWaiters(),
                                            renewed.tokens(),
                                            renewed.serverMicros())
                                    : reply)
                            .toList());
        }
    }

    @Test
    void keepsAHoldThatARenewalConfirmsForNoTime() throws InterruptedException {
        AtomicReference<Doubtful> store = new AtomicReference<>();
        Holdfast client = client(
                "doubtful",
                options -> options.provider(provider(config -> {
                    store.set(new Doubtful(server.open(config)));
                    return store.get();
                })));
        Lease lease = client.lock("m").acquire();
        store.get().doubts = true;
        sim.stepWallClock(Duration.ofSeconds(5));
        assertThat(lease.isValid()).isFalse();
        sim.runFor(LEASE.dividedBy(2));
        assertThat(lease.isValid()).as("in doubt").isFalse();
        assertThat(events(LockEvent.Lost.class)).isEmpty();
        store.get().doubts = false;
        sim.runUntil(lease::isValid, LEASE.dividedBy(2));
        lease.close();
    }

    @Test
    void aTryOfAFutureWhoseGrantCameTooLateIsMadeAgain() {
        Held reply = faults(a).holdReply(Operation.ACQUIRE);
        CompletableFuture<Optional<Lease>> tried = lock.async().tryAcquire();
        sim.runUntil(reply::isCaught, LONG);
        reply.letGo();
        sim.suspend(Duration.ofSeconds(60));
        sim.runUntil(tried::isDone, LONG);
        Lease lease = tried.join().orElseThrow();
        assertThat(lease.isValid()).isTrue();
        sim.await(lease.closeAsync());
    }

    @Test
    void aSuspendedMachineMakesAHoldSuspectAndARenewalDecides() throws InterruptedException {
        Lease lease = lock.acquire();
        sim.suspend(Duration.ofSeconds(5));
        assertThat(lease.isValid()).as("in doubt").isFalse();
        sim.runFor(Duration.ofMillis(50));
        assertThat(lease.isValid()).as("confirmed").isTrue();
        lease.close();
        assertThat(events(LockEvent.Lost.class)).isEmpty();
    }

    @Test
    void aMachineSuspendedForLongerThanTheLeaseFindsItsHoldLost() throws InterruptedException {
        Lease lease = lock.acquire();
        sim.suspend(Duration.ofSeconds(60));
        assertThat(lease.isValid()).isFalse();
        b.lock("n").lock();
        sim.runFor(Duration.ofMillis(50));
        assertThat(lease.isValid()).isFalse();
        assertThat(events(LockEvent.Lost.class)).hasSize(1);
        assertThatThrownBy(lease::close).isInstanceOf(LeaseLostException.class);
        b.lock("n").unlock();
    }

    @Test
    void aSuspendedHoldIsVerifiedWithoutBeingAskedFor() throws InterruptedException {
        Lease lease = lock.acquire();
        sim.suspend(Duration.ofSeconds(60));
        b.lock("n").lock();
        sim.runFor(Duration.ofSeconds(2));
        assertThat(events(LockEvent.Lost.class))
                .as("long before the next renewal is due")
                .hasSize(1);
        assertThatThrownBy(lease::close).isInstanceOf(LeaseLostException.class);
        b.lock("n").unlock();
    }

    @Test
    void aStepOfTheWallClockCostsARenewalAndNotTheLock() throws InterruptedException {
        try (Lease lease = lock.acquire()) {
            sim.stepWallClock(Duration.ofHours(-1));
            assertThat(lease.isValid()).isFalse();
            sim.runFor(Duration.ofMillis(50));
            assertThat(lease.isValid()).isTrue();
        }
    }

    @Test
    void reentryIntoADoubtfulHoldThrowsUnlessItIsConfirmed() {
        lock.lock();
        sim.stepWallClock(Duration.ofHours(1));
        lock.lock();
        assertThat(lock.isValid()).isTrue();
        sim.stepWallClock(Duration.ofHours(1));
        faults(a).outage(true);
        assertThatThrownBy(lock::lock).isInstanceOf(StoreUnavailableException.class);
        faults(a).outage(false);
        assertThat(lock.holdCount()).isEqualTo(2);
        lock.unlock();
        lock.unlock();
    }

    @Test
    void askingWhetherADoubtfulHoldIsValidDoesNotFloodTheStore() {
        lock.lock();
        sim.stepWallClock(Duration.ofHours(1));
        faults(a).next(Operation.RENEW, Fault.DROP_REQUEST);
        long before = calls(a);
        for (int i = 0; i < 1_000; i++) {
            assertThat(lock.isValid()).isFalse();
        }
        sim.runFor(Duration.ofSeconds(5));
        assertThat(calls(a) - before).isBetween(1L, 4L);
        assertThat(lock.isValid()).isTrue();
        lock.unlock();
    }

    @Test
    void reentryIntoALostHoldThrowsAndEachUnlockThrowsDownToTheOutermost() {
        lock.lock();
        lock.lock();
        server.wipe();
        sim.runFor(Duration.ofSeconds(11));
        assertThat(lock.isValid()).isFalse();
        assertThat(lock.isHeldByCurrentThread()).isTrue();
        assertThat(lock.holdCount()).isEqualTo(2);
        assertThatThrownBy(lock::lock).isInstanceOf(LeaseLostException.class);
        assertThatThrownBy(lock::fencingToken).isInstanceOf(LeaseLostException.class);
        assertThatThrownBy(lock::unlock).isInstanceOf(LeaseLostException.class);
        assertThat(lock.holdCount()).isEqualTo(1);
        assertThatThrownBy(lock::unlock).isInstanceOf(LeaseLostException.class);
        assertThat(lock.isHeldByCurrentThread()).isFalse();
        lock.lock();
        assertThat(lock.isValid()).isTrue();
        lock.unlock();
    }

    @Test
    void anUnlockOfALostHoldDoesNotTouchTheNextOwnerOfTheSameClient() {
        SimThread first = start("first", () -> {
            lock.lock();
            sim.sleep(Duration.ofSeconds(20));
            assertThatThrownBy(lock::unlock).isInstanceOf(LeaseLostException.class);
        });
        sim.runFor(Duration.ofSeconds(1));
        server.wipe();
        sim.runFor(Duration.ofSeconds(10));
        SimThread second = start("second", () -> {
            lock.lock();
            sim.sleep(Duration.ofSeconds(40));
            assertThat(lock.isValid()).isTrue();
            lock.unlock();
        });
        first.join();
        assertThat(b.lock("n").tryLock()).isFalse();
        second.join();
    }

    @Test
    void theNewOwnerIsRenewedAfterAReentrantOneWasLost() {
        SimThread first = start("first", () -> {
            lock.lock();
            lock.lock();
            lock.lock();
            sim.sleep(Duration.ofSeconds(200));
            for (int level = 0; level < 3; level++) {
                assertThatThrownBy(lock::unlock).isInstanceOf(LeaseLostException.class);
            }
        });
        sim.runFor(Duration.ofSeconds(1));
        b.lock("n").forceUnlock();
        sim.runFor(Duration.ofSeconds(1));
        lock.lock();
        sim.runFor(Duration.ofSeconds(120));
        assertThat(lock.isValid()).isTrue();
        lock.unlock();
        first.join();
    }

    @Test
    void aLostHoldOfADeadThreadIsForgotten() {
        SimThread dying = start("dying", () -> {
            lock.lock();
            sim.sleep(Duration.ofSeconds(2));
        });
        sim.runFor(Duration.ofSeconds(1));
        b.lock("n").forceUnlock();
        sim.runFor(Duration.ofMillis(10));
        assertThat(lock.toString()).doesNotContain("not held");
        dying.join();
        sim.runFor(Duration.ofSeconds(2));
        assertThat(lock.toString()).contains("not held");
    }

    @Test
    void aForcedReleaseIsToldToTheHolderAtOnce() {
        lock.lock();
        assertThat(b.lock("n").forceUnlock()).isTrue();
        sim.runFor(Duration.ofMillis(10));
        assertThat(lock.isValid()).isFalse();
        assertThat(events(LockEvent.Lost.class)).hasSize(1);
        assertThatThrownBy(lock::unlock).isInstanceOf(LeaseLostException.class);
    }

    @Test
    void ensureValidRenewsWhenTooLittleIsLeft() throws InterruptedException {
        try (Lease lease = lock.acquire()) {
            sim.runFor(Duration.ofSeconds(8));
            long before = calls(a);
            lease.ensureValid(Duration.ofSeconds(10));
            assertThat(calls(a)).isEqualTo(before);
            lease.ensureValid(Duration.ofSeconds(29));
            assertThat(calls(a)).isEqualTo(before + 1);
            assertThat(lease.remainingLease()).isGreaterThan(Duration.ofSeconds(29));
            assertThatThrownBy(() -> lease.ensureValid(Duration.ofSeconds(30)))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("29698 ms");
        }
    }

    @Test
    void aLostRenewalReplyIsMadeUpForBeforeTheDeadline() {
        lock.lock();
        faults(a).next(Operation.RENEW, Fault.DROP_REPLY);
        faults(a).next(Operation.RENEW, Fault.DROP_REQUEST);
        faults(a).next(Operation.RENEW, Fault.FAIL_BEFORE);
        sim.runFor(Duration.ofSeconds(60));
        assertThat(lock.isValid()).isTrue();
        lock.unlock();
        assertThat(events(LockEvent.Lost.class)).isEmpty();
    }
}
