package io.holdfast.testkit.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.DistributedLock;
import io.holdfast.recipes.QuorumLock;
import io.holdfast.testkit.SimThread;
import io.holdfast.testkit.faults.Held;
import io.holdfast.testkit.faults.Operation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Contenders for a quorum lock take turns, whichever servers are away. */
class QuorumTurnsTest extends FiveServers {

    private static final Duration WORK = Duration.ofMillis(100);
    private static final Duration LENGTH = Duration.ofSeconds(10);

    /** Each contender locks again at once; returns how often each of them had the lock. */
    private List<Integer> contend(List<QuorumLock> contenders, Duration length) {
        List<Integer> turns = new ArrayList<>(Collections.nCopies(contenders.size(), 0));
        Duration end = sim.elapsed().plus(length);
        for (int i = 0; i < contenders.size(); i++) {
            int contender = i;
            start("contender" + i, () -> {
                while (sim.elapsed().compareTo(end) < 0) {
                    contenders.get(contender).lock();
                    turns.set(contender, turns.get(contender) + 1);
                    sim.sleep(WORK);
                    contenders.get(contender).unlock();
                }
            });
        }
        sim.runThreads();
        return turns;
    }

    /** At least the given share of the mean for each, and no more than half of the time is wasted. */
    private void assertTakeTurns(double share, QuorumLock... contenders) {
        List<Integer> turns = contend(List.of(contenders), LENGTH);
        int all = turns.stream().mapToInt(Integer::intValue).sum();
        assertThat(turns).allMatch(each -> each >= share * all / turns.size(), "its share of " + all);
        assertThat(all).isGreaterThan((int) (LENGTH.toMillis() / WORK.toMillis() / 2));
    }

    @Test
    void clientsThatLockAgainAtOnceTakeTurns() {
        assertTakeTurns(0.5, lockA, lockB, lockC);
    }

    @Test
    void clientsTakeTurnsThoughAMinorityIsDead() {
        kill(0);
        kill(1);
        assertTakeTurns(0.5, lockA, lockB, lockC);
    }

    @Test
    void clientsTakeTurnsThoughAMinorityIsFrozen() {
        hang(0);
        hang(3);
        assertTakeTurns(0.5, lockA, lockB, lockC);
    }

    @Test
    void threadsOfOneProcessTakeTurns() {
        assertTakeTurns(0.9, lockA, lockA);
    }

    /** The owner of the gate has none of the other votes, and keeps it for long. */
    @Test
    void aGateThatAnotherOwnerKeepsDoesNotStopTheOthers() {
        DistributedLock gate = ofC.get(0).lock("n");
        gate.lock();
        List<Integer> turns = contend(List.of(lockA, lockB), LENGTH.multipliedBy(3));
        gate.unlock();
        assertThat(turns).allMatch(each -> each >= 10);
    }

    @Test
    void aWaiterThatIsInterruptedLeavesNothingAtTheGate() {
        lockA.lock();
        SimThread waiter = start("waiter", () -> {
            try {
                lockB.lockInterruptibly();
            } catch (InterruptedException e) {
                return;
            }
            throw new IllegalStateException("it was not interrupted");
        });
        sim.runUntil(() -> ofB.get(0).stats().waiting() > 0, LONG);
        waiter.interrupt();
        waiter.join();
        sim.runReady();
        assertThat(ofB.get(0).stats().waiting()).isZero();
        lockA.unlock();
        sim.runFor(SECOND);
        assertFree();
    }

    @Test
    void aTimedWaitEndsWithAnAttemptThatGivesWayToNobody() throws InterruptedException {
        DistributedLock gate = ofC.get(0).lock("n");
        gate.lock();
        assertThat(lockA.tryLock(Duration.ofMillis(1))).isTrue();
        lockA.unlock();
        gate.unlock();
    }

    @Test
    void aTryAsksEachServerOnceThoughSomebodyKeepsTheGate() {
        lockA.lock();
        lockA.unlock();
        DistributedLock gate = ofC.get(0).lock("n");
        gate.lock();
        long before = calls(ofA.get(0));
        assertThat(lockA.tryLock()).isTrue();
        assertThat(calls(ofA.get(0)) - before).isOne();
        lockA.unlock();
        gate.unlock();
    }

    /** A waiter whose gate has refused it, and one of whose requests is on its way. */
    private record Asked(List<DistributedLock> owners, Held request, SimThread waiter) {}

    /** Asks for the lock while the first two servers have other owners. */
    private Asked askBesideOwners() {
        List<DistributedLock> owners = List.of(ofC.get(0).lock("n"), ofC.get(1).lock("n"));
        owners.forEach(DistributedLock::lock);
        Held request = faults(ofA, 2).holdRequest(Operation.ACQUIRE);
        SimThread waiter = start("waiter", () -> {
            lockA.lock();
            lockA.unlock();
        });
        sim.runUntil(request::isCaught, LONG);
        sim.runReady();
        return new Asked(owners, request, waiter);
    }

    /** The gate has refused, and its client is closed before the others have answered. */
    @Test
    void aWaiterGoesOnIfTheClientOfItsGateWasClosedMeanwhile() {
        Asked asked = askBesideOwners();
        ofA.get(0).close();
        asked.request.letGo();
        asked.owners.forEach(DistributedLock::unlock);
        sim.runUntil(asked.waiter::done, LONG);
        asked.waiter.join();
    }

    @Test
    void aWaiterGoesOnWhenTheClientOfItsGateIsClosed() {
        lockB.lock();
        SimThread waiter = start("waiter", () -> {
            lockA.lock();
            lockA.unlock();
        });
        sim.runFor(SECOND);
        ofA.get(0).close();
        sim.runFor(SECOND);
        lockB.unlock();
        waiter.join();
        sim.runFor(SECOND);
    }

    /** The gate has refused, and freezes before the others have answered. */
    @Test
    void aFrozenGateIsWaitedForLikeAnyTurn() {
        Asked asked = askBesideOwners();
        hang(0);
        asked.request.letGo();
        asked.owners.get(1).unlock();
        Duration free = sim.elapsed();
        sim.runUntil(asked.waiter::done, LONG);
        assertThat(sim.elapsed().minus(free)).isLessThan(SECOND);
        asked.waiter.join();
        heal(0);
        asked.owners.get(0).unlock();
    }

    @Test
    void aFrozenGateIsNoOutage() {
        lockB.lock();
        List<SimThread> waiters = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            waiters.add(start("waiter" + i, () -> {
                lockA.lock();
                lockA.unlock();
            }));
        }
        sim.runFor(SECOND);
        hang(0);
        sim.runFor(LONG);
        assertThat(waiters).noneMatch(SimThread::done);
        lockB.unlock();
        waiters.forEach(SimThread::join);
    }

    @Test
    void anOwnerGetsAServerBackFromThoseWhoWaitThere() {
        lockA.lock();
        forceAt(0);
        List<SimThread> waiters = new ArrayList<>();
        for (QuorumLock rival : List.of(lockB, lockC)) {
            waiters.add(start("waiter" + waiters.size(), () -> {
                rival.lock();
                rival.unlock();
            }));
        }
        sim.runFor(LEASE);
        assertThat(lockA.heldAt()).isEqualTo(SERVERS);
        lockA.unlock();
        waiters.forEach(SimThread::join);
    }

    @Test
    void anOwnerGetsAServerBackFromThoseWhoWorkThere() {
        lockA.lock();
        forceAt(0);
        boolean[] over = {false};
        List<SimThread> workers = new ArrayList<>();
        for (DistributedLock plain : List.of(ofB.get(0).lock("n"), ofC.get(0).lock("n"))) {
            workers.add(start("worker" + workers.size(), () -> {
                while (!over[0]) {
                    plain.lock();
                    sim.sleep(WORK);
                    plain.unlock();
                }
            }));
        }
        sim.runFor(LEASE.dividedBy(2));
        assertThat(lockA.heldAt()).isEqualTo(SERVERS);
        over[0] = true;
        lockA.unlock();
        workers.forEach(SimThread::join);
    }
}
