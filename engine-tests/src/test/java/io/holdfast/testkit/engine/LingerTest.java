package io.holdfast.testkit.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.DistributedLock;
import io.holdfast.Lease;
import io.holdfast.LockOptions;
import io.holdfast.LockReport;
import io.holdfast.testkit.SimThread;
import io.holdfast.testkit.faults.Held;
import io.holdfast.testkit.faults.Operation;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** What is kept when the last owner has left, for how long, and what it costs. */
class LingerTest extends Lingering {

    private void isKeptUntilTheLingerIsOver() {
        sim.runFor(LINGER.minus(MILLI));
        assertThat(isKept()).isTrue();
        sim.runFor(MILLI.multipliedBy(2));
        assertThat(holder()).isEmpty();
    }

    @Test
    void pairsOfOneClientCostOneAcquireAndAfterTheLingerOneRelease() {
        assertThat(callsOf(() -> use(lock, 50))).as("acquire").isEqualTo(1);
        assertThat(retaken()).isEqualTo(49);
        assertThat(callsOf(() -> sim.runFor(LINGER.minus(MILLI)))).isZero();
        assertThat(isKept()).isTrue();
        long before = calls(a);
        sim.runFor(MILLI.multipliedBy(2));
        assertThat(calls(a) - before).as("release").isEqualTo(1);
        assertThat(holder()).isEmpty();
        assertThat(a.stats().renewals()).isZero();
    }

    @Test
    void eachUseBeginsTheLingerAnew() {
        use(lock);
        for (int i = 0; i < 5; i++) {
            sim.runFor(LINGER.multipliedBy(3).dividedBy(4));
            use(lock);
        }
        assertThat(retaken()).isEqualTo(5);
        isKeptUntilTheLingerIsOver();
    }

    @Test
    void theLingerIsThatOfTheLastOwner() {
        DistributedLock briefly = a.lock("n", LockOptions.defaults().withLinger(Duration.ofMillis(100)));
        use(lock);
        use(briefly);
        sim.runFor(Duration.ofMillis(101));
        assertThat(holder()).isEmpty();
        use(briefly);
        use(lock);
        isKeptUntilTheLingerIsOver();
    }

    @Test
    void leasesAndFuturesTakeItToo() {
        use(lock);
        assertThat(callsOf(() -> {
                    try (Lease lease = lock.tryAcquire().orElseThrow()) {
                        assertThat(lease.isValid()).isTrue();
                    }
                    sim.await(sim.await(lock.async().acquire()).closeAsync());
                }))
                .isZero();
        assertThat(retaken()).isEqualTo(2);
    }

    @Test
    void withoutTheOptionEachPairIsAnAcquireAndARelease() {
        assertThat(callsOf(() -> use(plain, 10))).isEqualTo(20);
        assertThat(retaken()).isZero();
    }

    @Test
    void whoLeavesWithoutTheOptionReleasesWhatLingered() {
        use(lock);
        assertThat(callsOf(() -> use(plain))).as("release").isEqualTo(1);
        assertThat(holder()).isEmpty();
    }

    @Test
    void whatWasAcquiredWithoutTheOptionIsNotKept() {
        plain.lock();
        SimThread next = start("next", () -> use(lock));
        sim.runReady();
        plain.unlock();
        next.join();
        assertThat(a.stats().handoffs()).isEqualTo(1);
        assertThat(holder()).isEmpty();
    }

    @Test
    void whatIsKeptAndGivenBackLeavesNoTimer() {
        for (int i = 0; i < 100; i++) {
            use(lock);
            use(plain);
        }
        assertThat(sim.leftovers())
                .filteredOn(left -> left.startsWith("timer "))
                .allMatch(LingerTest::isShort);
    }

    private static boolean isShort(String timer) {
        return Integer.parseInt(timer.replaceAll(".* with (\\d+) tasks", "$1")) < 10;
    }

    @Test
    void whatIsKeptForLongDoesNotPutOffWhatOthersNeed() {
        DistributedLock longer = a.lock("n", LockOptions.defaults().withLinger(Duration.ofSeconds(10)));
        DistributedLock held = a.lock("m");
        held.lock();
        sim.runFor(Duration.ofSeconds(8));
        use(longer);
        sim.runFor(Duration.ofSeconds(3));
        assertThat(a.stats().renewals()).isEqualTo(1);
        held.unlock();
        sim.runFor(Duration.ofSeconds(10));
    }

    @Test
    void whatIsKeptIsNotRenewed() {
        DistributedLock longer = a.lock("n", LockOptions.defaults().withLinger(Duration.ofSeconds(10)));
        longer.lock();
        sim.runFor(Duration.ofSeconds(5));
        longer.unlock();
        assertThat(callsOf(() -> sim.runFor(Duration.ofMillis(9_999)))).isZero();
        assertThat(isKept()).isTrue();
        assertThat(a.stats().renewals()).isZero();
        sim.runFor(MILLI.multipliedBy(2));
        assertThat(holder()).isEmpty();
    }

    @Test
    void whatFellDueWhileItWasKeptIsRenewedByTheNextOwner() {
        DistributedLock longer = a.lock("n", LockOptions.defaults().withLinger(Duration.ofSeconds(10)));
        longer.lock();
        sim.runFor(Duration.ofSeconds(5));
        longer.unlock();
        sim.runFor(Duration.ofSeconds(6));
        longer.lock();
        sim.runReady();
        assertThat(a.stats().renewals()).isEqualTo(1);
        sim.runFor(LEASE.multipliedBy(2));
        assertThat(longer.isValid()).isTrue();
        longer.unlock();
        sim.runFor(Duration.ofSeconds(10));
    }

    @Test
    void itIsNotKeptForLongerThanTheNextOwnerCouldUseIt() {
        DistributedLock brief = a.lock("n", LockOptions.defaults().withLease(Duration.ofSeconds(3)));
        DistributedLock lingering = a.lock("n", LINGERING);
        lingering.lock();
        sim.runFor(MILLI);
        lingering.unlock();
        use(brief);
        DistributedLock both = a.lock(
                "n", LockOptions.defaults().withLease(Duration.ofSeconds(3)).withLinger(Duration.ofSeconds(1)));
        both.lock();
        sim.runFor(Duration.ofMillis(900));
        both.unlock();
        sim.runFor(Duration.ofMillis(999));
        assertThat(isKept()).isTrue();
        assertThat(callsOf(() -> use(both))).isZero();
        sim.runFor(Duration.ofMillis(200));
        assertThat(holder()).as("a third of its lease is left").isEmpty();
    }

    @Test
    void usedAllTheTimeItIsRenewedOnceInAPollInterval() {
        long before = calls(a);
        for (int i = 0; i < 1_000; i++) {
            use(lock);
            sim.runFor(Duration.ofMillis(10));
        }
        assertThat(calls(a) - before).as("in ten seconds").isBetween(9L, 13L);
        assertThat(retaken()).isEqualTo(999);
        assertThat(a.stats().renewals()).isBetween(8L, 12L);
    }

    @Test
    void usedThousandsOfTimesItGetsFurtherTokens() {
        long token = 0;
        for (int i = 0; i < 5_000; i++) {
            long next = use(lock);
            assertThat(next).isGreaterThan(token);
            token = next;
            if (i % 100 == 0) {
                sim.runFor(MILLI);
            }
        }
        assertThat(retaken()).isEqualTo(4_999);
        assertThat(use(other)).isGreaterThan(token);
    }

    @Test
    void tokensRiseOverKeptRetakenAndForeignHolds() {
        long first = use(lock);
        long again = use(lock);
        long foreign = use(other);
        long asked = use(lock);
        sim.runFor(LINGER.plus(MILLI));
        long later = use(other);
        assertThat(new long[] {first, again, foreign, asked, later}).isSorted().doesNotHaveDuplicates();
    }

    @Test
    void anOwnerWithALeaseOfItsOwnAsksTheStore() throws InterruptedException {
        use(lock);
        assertThat(callsOf(() -> {
                    lock.lock(Duration.ofSeconds(1));
                    lock.unlock();
                }))
                .as("release, acquire, release")
                .isEqualTo(3);
        use(lock);
        assertThat(lock.tryLock(Duration.ZERO, Duration.ofSeconds(1))).isTrue();
        lock.unlock();
        assertThat(holder()).isEmpty();
    }

    @Test
    void runOnceKeepsItsOwnTime() {
        use(lock);
        assertThat(lock.runOnce(Duration.ofSeconds(5), () -> {})).isTrue();
        sim.runFor(Duration.ofMillis(4_900));
        assertThat(other.tryLock()).isFalse();
        sim.runFor(LEASE);
    }

    @Test
    void aLocalWaiterIsServedAsWithoutIt() {
        lock.lock();
        SimThread waiter = start("waiter", () -> use(lock));
        sim.runReady();
        assertThat(callsOf(() -> {
                    lock.unlock();
                    waiter.join();
                }))
                .as("whether signals come")
                .isEqualTo(1);
        assertThat(a.stats().handoffs()).isEqualTo(1);
        assertThat(retaken()).isZero();
        assertThat(isKept()).isTrue();
    }

    /** On a store that sends both over separate connections. */
    @Test
    void anAttemptThatOvertakesTheReleaseOfItsOwnClientIsRepeated() {
        use(lock);
        Held release = faults(a).holdRequest(Operation.RELEASE);
        sim.runUntil(release::isCaught, LINGER.plus(POLL));
        CompletableFuture<Optional<Lease>> attempt = lock.async().tryAcquire();
        sim.runFor(GRACE.dividedBy(2));
        assertThat(attempt).isNotDone();
        release.letGo();
        sim.await(attempt).orElseThrow().close();
    }

    @Test
    void othersSeeThatNobodyHasIt() {
        long token = use(lock);
        LockReport.Holder holder = holder().orElseThrow();
        assertThat(holder.client().id()).isEqualTo(a.clientId());
        assertThat(holder.owner()).contains("no owner (lingering)");
        assertThat(holder.fencingToken()).isEqualTo(OptionalLong.of(token));
        assertThat(b.list("").get(0).holder()).contains(holder().orElseThrow());
        assertThat(lock).hasToString("lock 'n' of a, here lingering, without an owner");
        assertThat(a.stats().held()).isZero();
        assertThat(lock.isHeldByCurrentThread()).isFalse();
        lock.lock();
        assertThat(holder().flatMap(LockReport.Holder::owner).orElseThrow()).startsWith("thread ");
        lock.unlock();
    }

    @Test
    void aClosedClientGivesItBack() {
        use(lock);
        a.close();
        assertThat(holder()).isEmpty();
    }

    @Test
    void afterAClockStepTheStoreIsAsked() {
        use(lock);
        sim.stepWallClock(Duration.ofHours(1));
        assertThat(callsOf(() -> use(lock))).as("release, acquire").isEqualTo(2);
        assertThat(isKept()).isTrue();
    }
}
