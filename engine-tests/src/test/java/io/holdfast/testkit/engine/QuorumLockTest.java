package io.holdfast.testkit.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LeaseLostException;
import io.holdfast.LockEvent;
import io.holdfast.LockOptions;
import io.holdfast.recipes.QuorumLock;
import io.holdfast.recipes.QuorumOptions;
import io.holdfast.testkit.SimThread;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A lock over five servers, by thread. */
@Tag("everywhere")
class QuorumLockTest extends FiveServers {

    private static void locked(QuorumLock lock) {
        lock.lock();
        lock.unlock();
    }

    @Test
    void allServersAreTakenAndAllAreReleased() {
        lockA.lock();
        sim.runReady();
        assertThat(lockA.isValid()).isTrue();
        assertThat(lockA.heldAt()).isEqualTo(SERVERS);
        assertThat(lockA.remainingLease()).isPositive().isLessThanOrEqualTo(LEASE);
        assertThat(lockB.tryLock()).isFalse();
        lockA.unlock();
        assertThat(lockA.isValid()).isFalse();
        assertThat(lockA.heldAt()).isZero();
        assertFree();
        assertThat(lockB.tryLock()).isTrue();
        lockB.unlock();
    }

    @Test
    void tokensRise() {
        long before = 0;
        for (int round = 0; round < 20; round++) {
            QuorumLock lock = round % 2 == 0 ? lockA : lockB;
            lock.lock();
            assertThat(lock.fencingToken()).isGreaterThan(before);
            before = lock.fencingToken();
            lock.unlock();
        }
    }

    @Test
    void theHoldIsRenewedForAsLongAsItLasts() {
        lockA.lock();
        sim.runFor(LEASE.multipliedBy(4));
        assertThat(lockA.isValid()).isTrue();
        assertThat(lockB.tryLock()).isFalse();
        lockA.unlock();
    }

    @Test
    void manyThreadsOfManyProcessesExcludeEachOther() {
        int[] inside = {0};
        int[] rounds = {0};
        List<Long> tokens = new ArrayList<>();
        for (QuorumLock lock : List.of(lockA, lockA, lockB, lockB, lockC)) {
            start("t" + inside.length + tokens.size() + rounds[0]++, () -> {
                for (int round = 0; round < 8; round++) {
                    lock.lock();
                    assertThat(++inside[0]).isEqualTo(1);
                    tokens.add(lock.fencingToken());
                    sim.sleep(Duration.ofMillis(1));
                    inside[0]--;
                    lock.unlock();
                }
            });
        }
        sim.runThreads();
        assertThat(tokens).hasSize(40).isSorted().doesNotHaveDuplicates();
    }

    // ---- waiting

    @Test
    void aWaitEndsInTime() {
        lockB.lock();
        SimThread waiter =
                start("waiter", () -> assertThat(lockA.tryLock(SECOND)).isFalse());
        sim.runFor(Duration.ofMillis(1_001));
        assertThat(waiter.done()).isTrue();
        waiter.join();
        assertThat(lockB.heldAt()).isEqualTo(SERVERS);
        lockB.unlock();
    }

    @Test
    void aLockThatBecomesFreeWithinTheWaitIsHad() {
        lockB.lock();
        SimThread waiter = start("waiter", () -> {
            assertThat(lockA.tryLock(SECOND)).isTrue();
            lockA.unlock();
        });
        sim.runFor(Duration.ofMillis(999));
        lockB.unlock();
        waiter.join();
    }

    @Test
    void whatMayOnlyBeKeptElsewhereIsNotWaitedFor() {
        LockOptions lingering = LockOptions.defaults().withLinger(SECOND);
        List<Lease> held = ofB.stream()
                .map(client -> client.lock("n", lingering).tryAcquire().orElseThrow())
                .toList();
        QuorumLock brief = QuorumLock.of(ofA, "n", QuorumOptions.defaults().withBudget(Duration.ofMillis(20)));
        Duration before = sim.elapsed();
        assertThat(brief.tryLock()).isFalse();
        assertThat(sim.elapsed()).isEqualTo(before);
        held.forEach(Lease::close);
    }

    @Test
    void aWaiterAsksEverMoreSlowly() {
        lockB.lock();
        SimThread waiter = start("waiter", () -> locked(lockA));
        sim.runFor(SECOND.multipliedBy(5));
        long before = calls(ofA.get(0));
        sim.runFor(SECOND.multipliedBy(10));
        assertThat(calls(ofA.get(0)) - before).as("asked in 10 s").isBetween(10L, 50L);
        lockB.unlock();
        waiter.join();
    }

    @Test
    void anInterruptLeavesNothing() {
        lockB.lock();
        SimThread waiter = start("waiter", () -> {
            assertThatThrownBy(lockA::lockInterruptibly).isInstanceOf(InterruptedException.class);
            assertThat(lockA.holdCount()).isZero();
        });
        sim.runFor(SECOND);
        waiter.interrupt();
        waiter.join();
        lockB.unlock();
        sim.runFor(SECOND);
        assertFree();
    }

    @Test
    void anInterruptWhileServersAreAskedLeavesNothing() {
        hang(0);
        hang(1);
        hang(2);
        SimThread waiter = start(
                "waiter", () -> assertThatThrownBy(lockA::lockInterruptibly).isInstanceOf(InterruptedException.class));
        sim.runFor(Duration.ofMillis(100));
        assertThat(keptAt()).isEqualTo(2);
        waiter.interrupt();
        waiter.join();
        assertFree();
    }

    @Test
    void anUninterruptibleLockKeepsTheInterrupt() {
        lockB.lock();
        SimThread waiter = start("waiter", () -> {
            lockA.lock();
            assertThat(Thread.interrupted()).isTrue();
            lockA.unlock();
        });
        sim.runFor(SECOND);
        waiter.interrupt();
        sim.runFor(SECOND);
        lockB.unlock();
        waiter.join();
    }

    // ---- levels

    @Test
    void theThreadMayLockAgainWithoutACall() {
        lockA.lock();
        sim.runReady();
        long before = calls(ofA.get(0));
        long token = lockA.fencingToken();
        lockA.lock();
        lockA.lock(SECOND);
        assertThat(calls(ofA.get(0))).isEqualTo(before);
        assertThat(lockA.fencingToken()).isEqualTo(token);
        assertThat(lockA.holdCount()).isEqualTo(3);
        sim.runFor(SECOND.multipliedBy(5));
        lockA.unlock();
        lockA.unlock();
        assertThat(lockA.isValid()).isTrue();
        lockA.unlock();
        assertFree();
    }

    @Test
    void aTryOfTheHolderIsALevel() throws InterruptedException {
        lockA.lock();
        assertThat(lockA.tryLock()).isTrue();
        assertThat(lockA.tryLock(SECOND)).isTrue();
        assertThat(lockA.holdCount()).isEqualTo(3);
        lockA.unlock();
        lockA.unlock();
        assertThat(lockA.isValid()).isTrue();
        lockA.unlock();
        assertFree();
    }

    @Test
    void aHoldInDoubtIsConfirmedBeforeItIsEnteredAgain() {
        lockA.lock();
        sim.runReady();
        sim.stepWallClock(SECOND.multipliedBy(10));
        assertThat(lockA.isValid()).isFalse();
        lockA.lock();
        assertThat(lockA.isValid()).isTrue();
        lockA.unlock();
        lockA.unlock();
    }

    @Test
    void aLevelThatEndsLaterMovesTheEnd() {
        lockA.lock(SECOND);
        lockA.lock(SECOND.multipliedBy(5));
        sim.runFor(SECOND.multipliedBy(3));
        assertThat(lockA.isValid()).isTrue();
        assertThatThrownBy(lockA::lock)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("lease argument");
        assertThat(lockA.holdCount()).isEqualTo(2);
        lockA.unlock();
        lockA.unlock();
    }

    @Test
    void aLeaseOfItsOwnEnds() {
        lockA.lock(SECOND);
        sim.runFor(Duration.ofMillis(900));
        assertThat(lockA.isValid()).isTrue();
        sim.runFor(Duration.ofMillis(100));
        assertThat(lockA.isValid()).isFalse();
        assertThat(lockB.tryLock()).isTrue();
        assertThatThrownBy(lockA::unlock).isInstanceOf(LeaseLostException.class);
        assertThat(lockA.holdCount()).isZero();
        lockB.unlock();
    }

    @Test
    void reentryMayBeForbidden() {
        QuorumOptions once =
                QuorumOptions.defaults().withLock(LockOptions.defaults().withReentrant(false));
        QuorumLock lock = QuorumLock.of(ofA, "n", once);
        lock.lock();
        assertThatThrownBy(lock::lock)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("withReentrant(false)");
        assertThat(lock.holdCount()).isEqualTo(1);
        lock.unlock();
    }

    @Test
    void aStrangersUnlockIsRefused() {
        lockA.lock();
        SimThread stranger = start("stranger", lockA::unlock);
        sim.runReady();
        assertThat(stranger.failure().orElseThrow())
                .isInstanceOf(IllegalMonitorStateException.class)
                .hasMessageContaining("stranger");
        assertThat(lockA.isValid()).isTrue();
        lockA.unlock();
        assertThatThrownBy(lockA::remainingLease).isInstanceOf(IllegalMonitorStateException.class);
    }

    @Test
    void aThreadThatDiesFreesAll() {
        start("dying", lockA::lock).join();
        sim.runFor(LEASE.plusSeconds(11));
        assertThat(lockB.tryLock()).isTrue();
        lockB.unlock();
        assertThat(events(LockEvent.Abandoned.class)).hasSize(SERVERS);
    }

    // ---- losses

    @Test
    void aLostMinorityIsNoLossAndIsTakenAgain() {
        lockA.lock();
        sim.runReady();
        forceAt(0);
        forceAt(1);
        assertThat(lockA.isValid()).isTrue();
        assertThat(lockA.heldAt()).isEqualTo(3);
        sim.runFor(Duration.ofSeconds(11));
        assertThat(lockA.heldAt()).isEqualTo(SERVERS);
        lockA.unlock();
        assertFree();
    }

    @Test
    void aLostMajorityIsALossAndStaysOne() {
        lockA.lock();
        sim.runReady();
        forceAt(0);
        forceAt(1);
        forceAt(2);
        assertThat(lockA.isValid()).isFalse();
        assertThat(lockA.remainingLease()).isZero();
        assertThatThrownBy(lockA::fencingToken).isInstanceOf(LeaseLostException.class);
        assertThatThrownBy(lockA::lock).isInstanceOf(LeaseLostException.class);
        sim.runFor(LEASE);
        assertThat(lockA.isValid()).isFalse();
        assertFree();
        assertThatThrownBy(lockA::unlock)
                .isInstanceOfSatisfying(
                        LeaseLostException.class,
                        loss -> assertThat(loss.name()).isEqualTo("n"))
                .hasMessageContainingAll("still held at 2", "needs 3");
        assertFree();
    }

    @Test
    void aLostHoldKeepsNoServerFromOthers() throws InterruptedException {
        SimThread owner = start("owner", () -> {
            lockA.lock();
            sim.sleep(LEASE.multipliedBy(10));
            assertThatThrownBy(lockA::unlock)
                    .isInstanceOf(LeaseLostException.class)
                    .hasMessageContaining("was still held at 2 servers, and needs 3");
        });
        sim.runReady();
        reachable(ofA, 3, 4);
        sim.runFor(LEASE.plus(SECOND));
        reachable(ofA, 0, 1, 2, 3, 4);
        kill(0);
        assertThat(lockB.tryLock(SECOND)).isTrue();
        assertThat(lockB.heldAt()).isEqualTo(4);
        lockB.unlock();
        owner.join();
    }

    @Test
    void aLossAtTheReleaseIsTold() {
        lockA.lock();
        sim.runReady();
        // a server that forgets tells nobody
        five.subList(0, 3).forEach(server -> server.wipe());
        assertThatThrownBy(lockA::unlock)
                .isInstanceOf(LeaseLostException.class)
                .hasMessageContaining("still held at 2");
    }

    @Test
    void aLossAtTheReleaseIsToldThoughAMinorityWasLostBefore() {
        lockA.lock();
        sim.runReady();
        forceAt(0);
        forceAt(1);
        five.get(2).wipe();
        assertThatThrownBy(lockA::unlock)
                .isInstanceOf(LeaseLostException.class)
                .hasMessageContaining("still held at 2");
    }

    // ---- closed clients

    @Test
    void aLossAtTheReleaseIsToldThoughAMinorityWasClosedBefore() {
        lockA.lock();
        sim.runReady();
        ofA.get(3).close();
        ofA.get(4).close();
        five.get(0).wipe();
        assertThatThrownBy(lockA::unlock)
                .isInstanceOf(LeaseLostException.class)
                .hasMessageContaining("still held at 2");
    }

    @Test
    void aMinorityOfClientsMayBeClosed() {
        lockA.lock();
        sim.runReady();
        ofA.get(0).close();
        ofA.get(3).close();
        assertThat(lockA.isValid()).isTrue();
        assertThat(lockA.heldAt()).isEqualTo(3);
        sim.runFor(LEASE.multipliedBy(2));
        assertThat(lockA.isValid()).isTrue();
        lockA.unlock();
        lockA.lock();
        assertThat(lockA.heldAt()).isEqualTo(3);
        lockA.unlock();
    }

    @Test
    void withoutAMajorityOfClientsThereIsNoHold() {
        lockA.lock();
        sim.runReady();
        ofA.subList(0, 3).forEach(Holdfast::close);
        assertThat(lockA.isValid()).isFalse();
        assertThatThrownBy(lockA::unlock)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContainingAll(
                        "'n'", "3 of its clients were closed, which released everything that they held");
        assertThatThrownBy(lockA::lock)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContainingAll("'n'", "closed", "3 servers failed");
        assertFree();
    }

    @Test
    void clientsThatCloseEndAWait() {
        lockB.lock();
        SimThread waiter = start(
                "waiter",
                () -> assertThatThrownBy(lockA::lock)
                        .isInstanceOf(IllegalStateException.class)
                        .hasMessageContainingAll("'n'", "closed"));
        sim.runFor(SECOND.multipliedBy(3));
        ofA.forEach(Holdfast::close);
        waiter.join();
        lockB.unlock();
    }

    // ---- refusals

    @Test
    void badServersAreRefused() {
        for (int count : List.of(0, 1, 2, 4)) {
            assertThatThrownBy(() -> QuorumLock.of(ofA.subList(0, count), "n"))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContainingAll("'n'", "of " + count + " servers", "3, 5, 7 or 9");
        }
        List<Holdfast> twice = List.of(ofA.get(0), ofA.get(1), ofB.get(0));
        assertThatThrownBy(() -> QuorumLock.of(twice, "n"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContainingAll("'n'", "q0", "twice", "once");
        assertThatThrownBy(() -> QuorumLock.of(ofA, ""))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("0 bytes");
    }

    @Test
    void badTimesAreRefused() {
        assertThatThrownBy(() -> lockA.lock(Duration.ofMillis(1))).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> QuorumOptions.defaults().withBudget(Duration.ZERO))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(
                        () -> QuorumLock.of(ofA, "n", QuorumOptions.defaults().withBudget(LEASE)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContainingAll("budget", "below the lease");
        assertThatThrownBy(() ->
                        QuorumOptions.defaults().withLock(LockOptions.defaults().withMaxHold(SECOND)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("maxHold");
        assertThatThrownBy(lockA::newCondition)
                .isInstanceOf(UnsupportedOperationException.class)
                .hasMessageContaining("'n'");
    }

    @Test
    void aSecondObjectOfTheSameLockIsEnteredByItsOwner() {
        QuorumLock again = QuorumLock.of(ofA, "n");
        lockA.lock();
        again.lock();
        assertThat(again.holdCount()).isEqualTo(2);
        assertThat(again.fencingToken()).isEqualTo(lockA.fencingToken());
        again.unlock();
        assertThat(lockA.isHeldByCurrentThread()).isTrue();
        again.unlock();
        assertThat(lockA.isHeldByCurrentThread()).isFalse();
        assertFree();
    }

    @Test
    void aSecondObjectThatForbidsReEntryIsRefused() {
        QuorumLock strict = QuorumLock.of(
                ofA,
                "n",
                QuorumOptions.defaults().withLock(LockOptions.defaults().withReentrant(false)));
        lockA.lock();
        assertThatThrownBy(strict::lock)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("already held");
        lockA.unlock();
    }
}
