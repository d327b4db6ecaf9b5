package io.holdfast.testkit.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import io.holdfast.DistributedLock;
import io.holdfast.Lease;
import io.holdfast.LeaseLostException;
import io.holdfast.LockEvent;
import io.holdfast.LockOptions;
import io.holdfast.StoreUnavailableException;
import io.holdfast.recipes.MultiLock;
import io.holdfast.testkit.SimThread;
import io.holdfast.testkit.faults.Fault;
import io.holdfast.testkit.faults.Held;
import io.holdfast.testkit.faults.Operation;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** Leases of their own, alone, nested, and handed on. */
@Tag("slow")
class LevelsTest extends VirtualTime {

    private static final Duration FIVE = Duration.ofSeconds(5);

    private final DistributedLock lock = a.lock("n");

    @BeforeEach
    void firstContact() {
        lock.lock();
        lock.unlock();
    }

    @AfterEach
    void nothingIsLeft() {
        assertNothingIsLeft();
    }

    @Test
    void aRenewalForTheOwnerBeforeDoesNotCutTheNextOnesOwnLease() {
        DistributedLock lock = a.lock("n");
        lock.lock();
        Held before = faults(a).holdReply(Operation.RENEW);
        CompletableFuture<Optional<Lease>> next = lock.async().tryAcquire(LONG, Duration.ofSeconds(60));
        sim.runUntil(before::isCaught, LONG);
        Held own = faults(a).holdReply(Operation.RENEW);
        lock.unlock();
        sim.runUntil(own::isCaught, LONG);
        before.letGo();
        sim.runFor(Duration.ofMillis(1));
        assertThat(next).isNotDone();
        own.letGo();
        Lease lease = sim.await(next).orElseThrow();
        assertThat(lease.remainingLease()).isGreaterThan(Duration.ofSeconds(55));
        lease.close();
    }

    @Test
    void aHoldWithALeaseOfItsOwnEndsThenAndIsNotRenewed() {
        lock.lock(FIVE);
        sim.runFor(Duration.ofMillis(4900));
        assertThat(lock.isValid()).isTrue();
        sim.runFor(Duration.ofMillis(150));
        assertThat(lock.isValid()).isFalse();
        assertThat(b.lock("n").tryLock()).isTrue();
        assertThat(events(LockEvent.Lost.class)).hasSize(1);
        assertThatThrownBy(lock::unlock).isInstanceOf(LeaseLostException.class);
        b.lock("n").unlock();
    }

    @Test
    void aNestedShorterLeaseCutsNothingAndCostsNothing() {
        lock.lock();
        long before = calls(a);
        lock.lock(FIVE);
        assertThat(calls(a)).isEqualTo(before);
        sim.runFor(Duration.ofMinutes(1));
        assertThat(lock.isValid()).isTrue();
        lock.unlock();
        assertThat(lock.isValid()).isTrue();
        lock.unlock();
    }

    @Test
    void aNestedLongerLeaseCostsOneRenewalAndSetsThatEnd() {
        lock.lock(FIVE);
        long before = calls(a);
        lock.lock(Duration.ofSeconds(60));
        assertThat(calls(a)).isEqualTo(before + 1);
        assertThat(lock.remainingLease()).isBetween(Duration.ofSeconds(59), Duration.ofSeconds(60));
        sim.runFor(Duration.ofSeconds(50));
        assertThat(lock.isValid()).isTrue();
        lock.unlock();
        sim.runFor(Duration.ofMillis(10));
        assertThat(lock.isValid()).as("the outer end is past").isFalse();
        assertThatThrownBy(lock::unlock).isInstanceOf(LeaseLostException.class);
    }

    @Test
    void anInnerWatchdogLevelKeepsTheHoldAndThenTheOuterEndCountsAgain() {
        lock.lock(Duration.ofSeconds(20));
        lock.lock();
        sim.runFor(Duration.ofSeconds(15));
        assertThat(lock.isValid()).isTrue();
        lock.unlock();
        assertThat(lock.remainingLease()).isLessThan(FIVE);
        sim.runFor(FIVE);
        assertThat(lock.isValid()).isFalse();
        assertThatThrownBy(lock::unlock).isInstanceOf(LeaseLostException.class);
    }

    private Stream<DistributedLock> everyKind(LockOptions options) {
        return Stream.of(
                a.lock("plain", options),
                a.fairLock("fair", options),
                a.readWriteLock("read", options).readLock(),
                a.readWriteLock("write", options).writeLock());
    }

    /** Over a lease of its own each kind has a slot of its own, also one that reads. */
    @TestFactory
    Stream<DynamicTest> anInnerWatchdogLevelIsRenewedForTheLeaseOfItsLock() {
        Duration longer = LEASE.multipliedBy(10);
        return everyKind(LockOptions.defaults().withLease(longer))
                .map(lock -> dynamicTest(lock.toString(), () -> {
                    lock.lock(FIVE);
                    lock.lock();
                    assertThat(lock.remainingLease()).isGreaterThan(longer.minusSeconds(4));
                    sim.runFor(longer.multipliedBy(2));
                    assertThat(lock.remainingLease()).isGreaterThan(longer.dividedBy(2));
                    lock.unlock();
                    assertThatThrownBy(lock::unlock).isInstanceOf(LeaseLostException.class);
                }));
    }

    @TestFactory
    Stream<DynamicTest> aCrashWithAnInnerWatchdogLevelFreesTheNameAfterTheLeaseOfItsLock() {
        Duration shorter = Duration.ofSeconds(2);
        return everyKind(LockOptions.defaults().withLease(shorter))
                .map(lock -> dynamicTest(lock.toString(), () -> {
                    SimThread owner = start("owner", () -> {
                        lock.lock(Duration.ofSeconds(1));
                        lock.lock();
                        sim.sleep(Duration.ofDays(1));
                    });
                    sim.runFor(Duration.ofMinutes(1));
                    assertThat(lock.holder().orElseThrow().remainingLease()).isLessThanOrEqualTo(shorter);
                    sim.kill(owner);
                    sim.runFor(shorter.multipliedBy(2));
                    assertThat(lock.holder()).isEmpty();
                }));
    }

    @Test
    void theLevelsOfAMultiLockAreRenewedForTheLeasesOfItsMembers() {
        DistributedLock first = a.lock("first", LockOptions.defaults().withLease(LONG));
        DistributedLock second = a.lock("second", LockOptions.defaults().withLease(LONG.multipliedBy(2)));
        MultiLock both = MultiLock.of(first, second);
        both.lock(FIVE);
        both.lock();
        sim.runFor(Duration.ofHours(1));
        assertThat(first.remainingLease()).isBetween(LONG.dividedBy(2), LONG);
        assertThat(second.remainingLease()).isGreaterThan(LONG);
        both.unlock();
        assertThatThrownBy(both::unlock).isInstanceOf(LeaseLostException.class);
    }

    @Test
    void theOutermostWatchdogLevelSaysForHowLongAHoldIsRenewed() {
        lock.lock(Duration.ofDays(1));
        a.lock("n", LockOptions.defaults().withLease(LONG)).lock();
        a.lock("n", LockOptions.defaults().withLease(LONG.multipliedBy(4))).lock();
        sim.runFor(Duration.ofDays(2));
        assertThat(lock.remainingLease()).isBetween(LONG.dividedBy(2), LONG);
        lock.unlock();
        lock.unlock();
        assertThatThrownBy(lock::unlock).isInstanceOf(LeaseLostException.class);
    }

    @Test
    void anInnerWatchdogLevelThatWasRenewedCutsNothingOfALongerOuterLease() {
        lock.lock(Duration.ofMinutes(10));
        lock.lock();
        sim.runFor(Duration.ofMinutes(5));
        assertThat(a.stats().renewals()).isPositive();
        lock.unlock();
        assertThat(lock.remainingLease()).isGreaterThan(Duration.ofMinutes(4));
        sim.runFor(Duration.ofMinutes(4));
        assertThat(lock.isValid()).isTrue();
        lock.unlock();
    }

    @Test
    void afterASuspensionOnlyWhatWasConfirmedSinceCounts() {
        lock.lock(Duration.ofMinutes(10));
        lock.lock();
        sim.suspend(Duration.ofMinutes(1));
        sim.runFor(Duration.ofSeconds(20));
        assertThat(lock.isValid()).isTrue();
        assertThat(lock.remainingLease()).isLessThan(LEASE);
        lock.unlock();
        lock.unlock();
    }

    @Test
    void aClockThatDriftsIsNoReasonForDoubt() {
        lock.lock(Duration.ofHours(1));
        lock.lock();
        for (int i = 0; i < 30; i++) {
            sim.stepWallClock(Duration.ofMillis(30));
            assertThat(lock.isValid()).as("after drift " + i).isTrue();
            sim.runFor(Duration.ofSeconds(11));
        }
        lock.unlock();
        lock.unlock();
    }

    @Test
    void anUnconfirmedLongerLevelIsNotAdded() {
        lock.lock(FIVE);
        faults(a).outage(true);
        assertThatThrownBy(() -> lock.lock(Duration.ofSeconds(60))).isInstanceOf(StoreUnavailableException.class);
        faults(a).outage(false);
        assertThat(lock.holdCount()).isEqualTo(1);
        assertThat(lock.isValid()).isTrue();
        lock.unlock();
    }

    @Test
    void aLeaseOfItsOwnIsStateOfTheHoldAndNotOfTheLock() throws InterruptedException {
        assertThat(lock.tryLock(Duration.ZERO, FIVE)).isTrue();
        lock.unlock();
        lock.lock();
        sim.runFor(Duration.ofMinutes(1));
        assertThat(lock.isValid()).isTrue();
        lock.unlock();
    }

    @Test
    void anOwnerWithALongerLeaseOfItsOwnGetsAHandoffWithOneRenewal() {
        lock.lock();
        SimThread next = start("next", () -> {
            lock.lock(Duration.ofSeconds(100));
            assertThat(lock.remainingLease()).isBetween(Duration.ofSeconds(98), Duration.ofSeconds(100));
            lock.unlock();
        });
        sim.runReady();
        long before = calls(a);
        long renewals = a.stats().renewals();
        lock.unlock();
        next.join();
        assertThat(a.stats().renewals() - renewals).isEqualTo(1);
        assertThat(calls(a) - before).as("renewal, release, signals").isLessThanOrEqualTo(3);
    }

    @Test
    void anOwnerWithAShorterLeaseOfItsOwnFreesTheNameThenAlsoAfterACrash() {
        lock.lock();
        SimThread next = ownerOfFive();
        lock.unlock();
        assertFreedAfterACrashOf(next);
        assertThat(next.done()).isTrue();
    }

    /** The store may have applied an extension that was not answered, and never shortens a lease. */
    @Test
    void anOwnerWithAShorterLeaseFreesTheNameThenAlsoAfterAnUnansweredExtension() throws InterruptedException {
        Lease lease = lock.tryAcquire(Duration.ZERO, FIVE).orElseThrow();
        SimThread next = ownerOfFive();
        faults(a).next(Operation.RENEW, Fault.FAIL_AFTER);
        assertThatThrownBy(() -> lease.extend(Duration.ofSeconds(60))).isInstanceOf(StoreUnavailableException.class);
        lease.close();
        assertFreedAfterACrashOf(next);
    }

    /** Starts a thread that waits for the lock, and then never releases it. */
    private SimThread ownerOfFive() {
        SimThread next = start("next", () -> {
            lock.lock(FIVE);
            sim.sleep(Duration.ofDays(1));
        });
        sim.runReady();
        return next;
    }

    private void assertFreedAfterACrashOf(SimThread owner) {
        sim.runReady();
        assertThat(b.inspect("n").holder().orElseThrow().remainingLease()).isLessThanOrEqualTo(FIVE);
        sim.kill(owner);
        sim.runFor(Duration.ofSeconds(6));
        assertThat(b.lock("n").tryLock()).isTrue();
        b.lock("n").unlock();
    }

    @Test
    void extendMovesTheEndButNeverBack() throws InterruptedException {
        Lease lease = lock.tryAcquire(Duration.ZERO, FIVE).orElseThrow();
        lease.extend(Duration.ofSeconds(60));
        sim.runFor(Duration.ofSeconds(30));
        assertThat(lease.isValid()).isTrue();
        lease.extend(FIVE);
        assertThat(lease.remainingLease()).isGreaterThan(Duration.ofSeconds(25));
        lease.close();
        Lease renewed = lock.acquire();
        assertThatThrownBy(() -> renewed.extend(FIVE)).isInstanceOf(IllegalStateException.class);
        renewed.close();
    }
}
