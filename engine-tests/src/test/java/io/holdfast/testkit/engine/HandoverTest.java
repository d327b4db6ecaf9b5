package io.holdfast.testkit.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LockOptions;
import io.holdfast.spi.Signal;
import io.holdfast.testkit.SimThread;
import io.holdfast.testkit.faults.Fault;
import io.holdfast.testkit.faults.Held;
import io.holdfast.testkit.faults.Operation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** How a tenure goes from owner to owner inside a client, and when it leaves for another client. */
@Tag("everywhere")
class HandoverTest extends VirtualTime {

    private static final Duration WORK = Duration.ofNanos(200_000);

    private final DistributedLock lock = a.lock("n");
    private boolean stop;
    private Duration longestStreak = Duration.ZERO;
    private Duration streakBegan = Duration.ZERO;
    private Holdfast streakOf = a;

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
    }

    private List<SimThread> busy(Holdfast client, int threads, AtomicLong count) {
        return busy(client, threads, count, WORK);
    }

    private List<SimThread> busy(Holdfast client, int threads, AtomicLong count, Duration work) {
        List<SimThread> started = new ArrayList<>();
        for (int i = 0; i < threads; i++) {
            started.add(start("busy" + i, () -> {
                while (!stop) {
                    client.lock("n").lock();
                    noteStreak(client);
                    sim.sleep(work);
                    count.incrementAndGet();
                    client.lock("n").unlock();
                }
            }));
        }
        return started;
    }

    private void noteStreak(Holdfast client) {
        if (client != streakOf) {
            streakOf = client;
            streakBegan = sim.elapsed();
        }
        Duration streak = sim.elapsed().minus(streakBegan);
        longestStreak = streak.compareTo(longestStreak) > 0 ? streak : longestStreak;
    }

    @Test
    void clientsTakeTurnsOfAboutASlice() {
        AtomicLong ofA = new AtomicLong();
        AtomicLong ofB = new AtomicLong();
        List<SimThread> threads = busy(a, 4, ofA);
        threads.addAll(busy(b, 4, ofB));
        sim.runFor(Duration.ofMillis(100));
        longestStreak = Duration.ZERO;
        sim.runFor(Duration.ofMillis(400));
        stop = true;
        threads.forEach(SimThread::join);
        assertThat(longestStreak).isLessThan(Duration.ofMillis(4));
        assertThat((double) ofA.get() / (ofA.get() + ofB.get())).isBetween(0.4, 0.6);
        assertThat(a.stats().handoffs()).isPositive();
    }

    private SimThread foreignWaiter() {
        return start("waiter", () -> {
            b.lock("n").lock();
            b.lock("n").unlock();
        });
    }

    @Test
    void whoHasWaitedForASliceGetsTheNameByTheRelease() {
        lock.lock();
        SimThread waiter = foreignWaiter();
        sim.runFor(Duration.ofMillis(10));
        long before = calls(b);

        lock.unlock();

        assertThat(lock.tryLock()).isFalse();
        waiter.join();
        assertThat(calls(b) - before).as("only its release").isEqualTo(1);
    }

    @Test
    void whoGoesOnHoldingWhatWasAssignedHasTheWholeLeaseSoon() {
        assertThat(leftAfterHolding(a.lock("whole"), b.lock("whole"))).isGreaterThan(Duration.ofSeconds(29));
        assertThat(leftAfterHolding(a.fairLock("fair"), b.fairLock("fair"))).isGreaterThan(Duration.ofSeconds(29));
    }

    /** What is left of the lease 5 ms after the second got it from the first. */
    private Duration leftAfterHolding(DistributedLock first, DistributedLock second) {
        first.lock();
        Duration[] left = {Duration.ZERO};
        SimThread waiter = start("waiter", () -> {
            Lease lease = second.acquire();
            sim.sleep(Duration.ofMillis(5));
            left[0] = lease.remainingLease();
            lease.close();
        });
        sim.runFor(Duration.ofMillis(10));
        first.unlock();
        waiter.join();
        return left[0];
    }

    @Test
    void whoHasWaitedForLessMayBeOvertaken() {
        lock.lock();
        SimThread waiter = foreignWaiter();
        sim.runFor(Duration.ofMillis(1));

        lock.unlock();

        assertThat(lock.tryLock()).isTrue();
        lock.unlock();
        waiter.join();
    }

    @Test
    void aForeignWaiterIsNoticedWithinAPollIntervalEvenIfItsMessageIsLost() {
        AtomicLong ofA = new AtomicLong();
        List<SimThread> threads = busy(a, 4, ofA, Duration.ofMillis(10));
        sim.runFor(Duration.ofMillis(1100));
        faults(a).probability(Fault.DROP_SIGNAL, 1.0);
        SimThread waiter = start("waiter", () -> {
            b.lock("n").lock();
            b.lock("n").unlock();
        });
        sim.runUntil(waiter::done, Duration.ofMillis(1200));
        faults(a).probability(Fault.DROP_SIGNAL, 0.0);
        stop = true;
        threads.forEach(SimThread::join);
        waiter.join();
    }

    @Test
    void aForeignWaiterIsAssumedWhileSignalsAreNotConfirmed() {
        faults(a).probability(Fault.DROP_SIGNAL, 1.0);
        for (int i = 0; i < 100_000; i += 1_000) {
            faults(a).next(Operation.CONFIRM_SIGNALS, Fault.DROP_REQUEST);
        }
        AtomicLong ofA = new AtomicLong();
        List<SimThread> threads = busy(a, 4, ofA);
        sim.runFor(Duration.ofMillis(50));
        SimThread waiter = start("waiter", () -> {
            b.lock("n").lock();
            b.lock("n").unlock();
        });
        sim.runUntil(waiter::done, Duration.ofMillis(10));
        faults(a).probability(Fault.DROP_SIGNAL, 0.0);
        stop = true;
        threads.forEach(SimThread::join);
        waiter.join();
    }

    @Test
    void aTenureWithLittleOfItsLeaseLeftIsRenewedBeforeItIsHandedOn() {
        Holdfast c = client("c", options -> options.lease(Duration.ofSeconds(9)));
        DistributedLock brief = c.lock("n");
        brief.lock();
        faults(c).probability(Fault.DROP_REQUEST, 1.0);
        List<Duration> left = new ArrayList<>();
        SimThread next = start("next", () -> {
            brief.lock();
            left.add(brief.remainingLease());
            brief.unlock();
        });
        sim.runFor(Duration.ofMillis(6500));
        assertThat(brief.remainingLease()).isLessThan(Duration.ofSeconds(3));
        faults(c).probability(Fault.DROP_REQUEST, 0.0);
        Held renewal = faults(c).holdRequest(Operation.RENEW);
        brief.unlock();
        sim.runReady();
        assertThat(renewal.isCaught()).isTrue();
        assertThat(left).as("before the renewal").isEmpty();
        renewal.letGo();
        next.join();
        assertThat(left).singleElement().satisfies(each -> assertThat(each).isGreaterThan(Duration.ofSeconds(8)));
    }

    @Test
    void anOwnLeaseIsNotMadeLongerByARenewalThatIsUnderWay() {
        Duration own = Duration.ofSeconds(25);
        lock.lock();
        Held renewal = faults(a).holdReply(Operation.RENEW);
        sim.runUntil(renewal::isCaught, LONG);
        SimThread brief = start("brief", () -> {
            lock.lock(own);
            sim.sleep(Duration.ofSeconds(1));
            lock.unlock();
        });
        sim.runReady();

        lock.unlock();
        sim.runFor(Duration.ofMillis(100));

        assertThat(b.lock("n").holder().orElseThrow().remainingLease()).isLessThan(own);
        renewal.letGo();
        brief.join();
    }

    @Test
    void aTenureThatWasLostIsNotHandedOn() {
        lock.lock();
        SimThread next = start("next", () -> {
            lock.lock();
            assertThat(lock.isValid()).isTrue();
            lock.unlock();
        });
        sim.runReady();
        faults(a).probability(Fault.DROP_REQUEST, 1.0);
        sim.runFor(LEASE);
        faults(a).probability(Fault.DROP_REQUEST, 0.0);
        assertThat(lock.isValid()).isFalse();
        org.assertj.core.api.Assertions.assertThatThrownBy(lock::unlock)
                .isInstanceOf(io.holdfast.LeaseLostException.class);
        sim.runUntil(next::done, LONG);
        assertThat(next.failure().map(Throwable::getClass).orElse(null))
                .isIn(null, io.holdfast.IndeterminateLockException.class);
    }

    @Test
    void anAssignmentThatOvertakesTheRefusalIsTaken() {
        lock.lock();
        Held refusal = faults(b).holdReply(Operation.ACQUIRE);
        SimThread waiter = start("waiter", () -> {
            b.lock("n").lock();
            b.lock("n").unlock();
        });
        SimThread local = start("local", () -> {
            lock.lock();
            lock.unlock();
        });
        sim.runUntil(refusal::isCaught, LONG);
        sim.runFor(Duration.ofMillis(50));
        lock.unlock();
        sim.runFor(Duration.ofMillis(20));
        assertThat(b.inspect("n").holder().orElseThrow().client().id())
                .as("assigned to the waiter")
                .isEqualTo(b.clientId());
        refusal.letGo();
        sim.runUntil(waiter::done, Duration.ofMillis(20));
        waiter.join();
        local.join();
    }

    @Test
    void aWakeUpThatOvertakesTheRefusalMakesTheWaiterTryAgain() {
        lock.lock();
        Held refusal = faults(b).holdReply(Operation.ACQUIRE);
        SimThread waiter = start("waiter", () -> {
            b.lock("n").lock();
            b.lock("n").unlock();
        });
        sim.runUntil(refusal::isCaught, LONG);
        lock.unlock();
        sim.runFor(Duration.ofMillis(20));
        refusal.letGo();
        sim.runUntil(waiter::done, Duration.ofMillis(20));
        waiter.join();
    }

    @Test
    void aWantedThatOvertakesTheGrantCounts() {
        handOnOnceSoThatSignalsAreConfirmed();
        Held grant = faults(a).holdReply(Operation.ACQUIRE);
        SimThread first = start("first", () -> {
            lock.lock();
            sim.sleep(Duration.ofMillis(20));
            lock.unlock();
        });
        sim.runUntil(grant::isCaught, LONG);
        SimThread foreign = start("foreign", () -> {
            b.lock("n").lock();
            b.lock("n").unlock();
        });
        sim.runFor(Duration.ofMillis(5));
        AtomicLong ofA = new AtomicLong();
        grant.letGo();
        List<SimThread> threads = busy(a, 3, ofA);
        sim.runUntil(foreign::done, Duration.ofMillis(40));
        stop = true;
        threads.forEach(SimThread::join);
        first.join();
        foreign.join();
    }

    private void handOnOnceSoThatSignalsAreConfirmed() {
        lock.lock();
        SimThread next = start("next", () -> {
            lock.lock();
            lock.unlock();
        });
        sim.runReady();
        lock.unlock();
        next.join();
        sim.runReady();
    }

    @Test
    void aDoubledWakeUpIsHarmless() {
        lock.lock();
        faults(b).next(Operation.SIGNAL, Fault.DOUBLE_SIGNAL);
        SimThread waiter = start("waiter", () -> {
            b.lock("n").lock();
            b.lock("n").unlock();
        });
        sim.runFor(Duration.ofMillis(20));
        lock.unlock();
        waiter.join();
    }

    @Test
    void aLostWakeUpCostsAtMostAPollInterval() {
        lock.lock();
        SimThread waiter = start("waiter", () -> {
            b.lock("n").lock();
            b.lock("n").unlock();
        });
        sim.runFor(Duration.ofMillis(20));
        faults(b).next(Operation.SIGNAL, Fault.DROP_SIGNAL);
        lock.unlock();
        sim.runUntil(waiter::done, Duration.ofMillis(1150));
        waiter.join();
    }

    @Test
    void anAssignmentReadTooLateIsNotTaken() {
        lock.lock();
        Held assigned = faults(b).holdSignal(Signal.Assigned.class);
        SimThread waiter = start("waiter", () -> {
            b.lock("n").lock();
            assertThat(b.lock("n").isValid()).isTrue();
            b.lock("n").unlock();
        });
        sim.runFor(Duration.ofMillis(20));
        SimThread local = start("local", () -> {
            lock.lock();
            lock.unlock();
        });
        sim.runFor(Duration.ofMillis(20));
        lock.unlock();
        sim.runFor(Duration.ofMillis(990));
        assigned.letGo();
        waiter.join();
        local.join();
    }

    @Test
    void anAssignmentToOneWhoLeftIsGivenBack() {
        lock.lock();
        Held assigned = faults(b).holdSignal(Signal.Assigned.class);
        Held withdrawal = faults(b).holdRequest(Operation.RELEASE);
        SimThread waiter = start("waiter", () -> b.lock("n").tryLock(Duration.ofMillis(500)));
        sim.runFor(Duration.ofMillis(20));
        SimThread local = start("local", () -> {
            lock.lock();
            lock.unlock();
        });
        sim.runFor(Duration.ofMillis(400));
        lock.unlock();
        sim.runUntil(withdrawal::isCaught, LONG);
        assigned.letGo();
        sim.runFor(Duration.ofMillis(5));
        withdrawal.letGo();
        sim.runUntil(local::done, Duration.ofMillis(100));
        waiter.join();
        local.join();
    }

    @Test
    void aDeadWaitingClientCostsOthersAtMostAClaimWindow() {
        Holdfast c = client("c");
        lock.lock();
        SimThread dead = start("dead", () -> c.lock("n").lock());
        sim.runFor(Duration.ofMillis(10));
        faults(c).outage(true);
        SimThread alive = start("alive", () -> {
            b.lock("n").lock();
            b.lock("n").unlock();
        });
        sim.runFor(Duration.ofMillis(10));
        lock.unlock();
        sim.runUntil(alive::done, Duration.ofMillis(1150));
        alive.join();
        faults(c).outage(false);
        sim.runFor(Duration.ofSeconds(3));
        assertThat(dead.done()).isTrue();
        sim.runFor(LEASE.multipliedBy(2));
    }

    @Test
    void nobodyOfAProcessStarvesBehindItsOwnThreads() {
        AtomicLong ofA = new AtomicLong();
        DistributedLock plain = a.lock("n", LockOptions.defaults());
        List<SimThread> threads = busy(a, 3, ofA);
        sim.runFor(Duration.ofMillis(10));
        Duration began = sim.elapsed();
        SimThread late = start("late", () -> {
            plain.lock();
            plain.unlock();
        });
        sim.runUntil(late::done, Duration.ofMillis(20));
        assertThat(sim.elapsed().minus(began)).isLessThan(Duration.ofMillis(10));
        stop = true;
        threads.forEach(SimThread::join);
        late.join();
    }
}
