package io.holdfast.testkit.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import io.holdfast.LeaseLostException;
import io.holdfast.LockEvent;
import io.holdfast.StoreUnavailableException;
import io.holdfast.recipes.MultiLock;
import io.holdfast.testkit.SimThread;
import io.holdfast.testkit.faults.Held;
import io.holdfast.testkit.faults.Operation;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** All or nothing by thread, over two stores. */
@Tag("everywhere")
class MultiLockTest extends TwoStores {

    private static final Duration SECOND = Duration.ofSeconds(1);

    @Test
    void allAreTakenAndAllAreReleased() {
        both.lock();
        assertThat(both.isValid()).isTrue();
        assertThat(oneOfB.tryLock()).isFalse();
        assertThat(twoOfB.tryLock()).isFalse();
        assertThat(both.remainingLease()).isPositive().isLessThanOrEqualTo(LEASE);
        both.unlock();
        assertThat(both.isValid()).isFalse();
        assertFree(one);
        assertFree(two);
    }

    @Test
    void eachMemberHasATokenOfItsOwn() {
        both.lock();
        long first = one.fencingToken();
        long second = two.fencingToken();
        both.unlock();
        both.lock();
        assertThat(one.fencingToken()).isGreaterThan(first);
        assertThat(two.fencingToken()).isGreaterThan(second);
        both.unlock();
    }

    // ---- order

    @Test
    void membersAreInTheSameOrderHoweverTheyWereGiven() {
        assertThat(both.members()).containsExactly(one, two);
        assertThat(MultiLock.of(List.of(one, two)).members()).containsExactly(one, two);
        assertThat(MultiLock.of(otherA.lock("n"), a.lock("n")).members())
                .as("one name in two stores")
                .containsExactly(a.lock("n"), otherA.lock("n"));
    }

    @Test
    void theOrderIsThatOfTheNamesInTheStore() {
        Holdfast prefixed = client("prefixed", options -> options.keyPrefix("0"));
        DistributedLock zero = prefixed.lock("9");
        assertThat(MultiLock.of(one, zero).members()).containsExactly(zero, one);
    }

    @Test
    void oppositeOrdersDoNotWaitForEachOther() {
        MultiLock opposite = MultiLock.of(twoOfB, oneOfB);
        MultiLock mine = MultiLock.of(one, two);
        Held inTheMiddle = otherFaults().holdRequest(Operation.ACQUIRE);
        SimThread first = start("first", () -> locked(mine));
        sim.runUntil(inTheMiddle::isCaught, LONG);
        SimThread second = start("second", () -> locked(opposite));
        sim.runFor(Duration.ofMillis(100));
        inTheMiddle.letGo();
        sim.runUntil(() -> first.done() && second.done(), LONG);
        first.join();
        second.join();
    }

    @Test
    void manyThreadsInAnyOrderAllGetThrough() {
        List<MultiLock> locks = List.of(
                MultiLock.of(one, two, a.lock("3")),
                MultiLock.of(b.lock("3"), twoOfB),
                MultiLock.of(a.lock("3"), one),
                MultiLock.of(twoOfB, b.lock("3"), oneOfB));
        int[] inside = {0};
        for (int i = 0; i < 12; i++) {
            MultiLock lock = locks.get(i % locks.size());
            start("t" + i, () -> {
                for (int round = 0; round < 20; round++) {
                    lock.lock();
                    // every two of them have a member in common
                    assertThat(++inside[0]).isEqualTo(1);
                    sim.letOthersRun();
                    inside[0]--;
                    lock.unlock();
                }
            });
        }
        sim.runThreads();
    }

    private static void locked(MultiLock lock) {
        lock.lock();
        lock.unlock();
    }

    // ---- or nothing

    @Test
    void oneWaitIsForAllMembers() {
        oneOfB.lock();
        twoOfB.lock();
        SimThread waiter =
                start("waiter", () -> assertThat(both.tryLock(SECOND)).isFalse());
        sim.runFor(Duration.ofMillis(600));
        oneOfB.unlock();
        sim.runFor(Duration.ofMillis(100));
        assertThat(one.isLocked())
                .as("taken, and kept while the other is waited for")
                .isTrue();
        sim.runFor(Duration.ofMillis(350));
        assertThat(waiter.done()).isTrue();
        waiter.join();
        assertFree(one);
        assertThat(otherB.inspect("2").waiters()).isEmpty();
        twoOfB.unlock();
    }

    @Test
    void withoutAWaitAllOrNothingIsTaken() {
        twoOfB.lock();
        Duration before = sim.elapsed();
        assertThat(both.tryLock()).isFalse();
        assertThat(sim.elapsed()).isEqualTo(before);
        assertThat(both.isHeldByCurrentThread()).isFalse();
        assertFree(one);
        twoOfB.unlock();
        assertThat(both.tryLock()).isTrue();
        both.unlock();
    }

    @Test
    void anInterruptInTheMiddleLeavesNothing() {
        twoOfB.lock();
        SimThread waiter = start("waiter", () -> {
            assertThatThrownBy(both::lockInterruptibly).isInstanceOf(InterruptedException.class);
            assertThat(both.holdCount()).isZero();
            assertThat(one.isHeldByCurrentThread()).isFalse();
        });
        sim.runFor(SECOND);
        assertThat(one.isLocked()).isTrue();
        waiter.interrupt();
        waiter.join();
        assertFree(one);
        twoOfB.unlock();
    }

    @Test
    void anUninterruptibleLockKeepsTheInterrupt() {
        twoOfB.lock();
        SimThread waiter = start("waiter", () -> {
            both.lock();
            assertThat(Thread.interrupted()).isTrue();
            both.unlock();
        });
        sim.runFor(SECOND);
        waiter.interrupt();
        sim.runFor(SECOND);
        twoOfB.unlock();
        waiter.join();
    }

    @Test
    void aStoreThatFailsLeavesNothingInTheOthers() {
        otherFaults().outage(true);
        assertThatThrownBy(both::lock)
                .isInstanceOf(StoreUnavailableException.class)
                .hasMessageContaining("'2'");
        assertFree(one);
        otherFaults().outage(false);
    }

    @Test
    void aClosedClientIsNamedAndNothingIsLeftInTheOthers() {
        otherA.close();
        assertThatThrownBy(both::lock)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContainingAll("'2'", "other-a", "closed");
        assertFree(one);
    }

    @Test
    void aClientThatClosesInTheMiddleEndsTheWaitOfAll() {
        oneOfB.lock();
        SimThread waiter = start(
                "waiter",
                () -> assertThatThrownBy(both::lock)
                        .isInstanceOf(IllegalStateException.class)
                        .hasMessageContainingAll("'2'", "closed"));
        sim.runFor(SECOND);
        otherA.close();
        oneOfB.unlock();
        waiter.join();
        assertFree(one);
    }

    @Test
    void aClientThatClosesWhileAnotherMemberIsWaitedForIsNamed() {
        twoOfB.lock();
        SimThread waiter = start(
                "waiter",
                () -> assertThatThrownBy(both::lock)
                        .isInstanceOf(IllegalStateException.class)
                        .hasMessageContainingAll("'1'", "client a", "closed"));
        sim.runFor(SECOND);
        a.close();
        twoOfB.unlock();
        waiter.join();
        assertFree(twoOfB);
        assertFree(oneOfB);
    }

    // ---- losses

    @Test
    void aMemberThatIsLostWhileAnotherIsWaitedForIsTakenAgain() {
        twoOfB.lock();
        SimThread owner = start("owner", () -> {
            both.lock();
            assertThat(both.isValid()).isTrue();
            assertThat(oneOfB.tryLock()).isFalse();
            both.unlock();
        });
        sim.runFor(SECOND);
        oneOfB.forceUnlock();
        sim.runFor(SECOND);
        assertThat(events(LockEvent.Lost.class)).hasSize(1);
        twoOfB.unlock();
        owner.join();
    }

    @Test
    void aLeaseThatEndedWhileAnotherMemberWasWaitedForDoesNotCount() {
        twoOfB.lock();
        SimThread owner = start("owner", () -> {
            assertThat(both.tryLock(Duration.ofSeconds(10), SECOND)).isTrue();
            assertThat(both.remainingLease()).isGreaterThan(Duration.ofMillis(900));
            both.unlock();
        });
        sim.runFor(Duration.ofSeconds(3));
        twoOfB.unlock();
        owner.join();
    }

    @Test
    void theWaitEndsAlsoWhenMembersAreTakenAgain() {
        twoOfB.lock();
        SimThread waiter = start(
                "waiter",
                () -> assertThat(both.tryLock(SECOND, Duration.ofMillis(500))).isFalse());
        sim.runFor(Duration.ofMillis(1_100));
        assertThat(waiter.done()).isTrue();
        waiter.join();
        twoOfB.unlock();
    }

    @Test
    void aLostMemberLosesTheWholeAndTheUnlockNamesIt() {
        both.lock();
        twoOfB.forceUnlock();
        sim.runReady();
        assertThat(both.isValid()).isFalse();
        assertThat(both.remainingLease()).isZero();
        assertThat(both.isHeldByCurrentThread()).isTrue();
        assertThat(one.isLocked()).as("kept: the owner may be at work").isTrue();
        assertThatThrownBy(both::unlock)
                .isInstanceOfSatisfying(
                        LeaseLostException.class,
                        loss -> assertThat(loss.name()).isEqualTo("2"))
                .hasNoSuppressedExceptions();
        assertFree(one);
        assertThat(both.isHeldByCurrentThread()).isFalse();
    }

    @Test
    void allLossesAreTold() {
        both.lock();
        oneOfB.forceUnlock();
        twoOfB.forceUnlock();
        sim.runReady();
        Throwable thrown = catchUnlock();
        assertThat(thrown).isInstanceOf(LeaseLostException.class);
        assertThat(thrown.getSuppressed()).singleElement().isInstanceOf(LeaseLostException.class);
        assertThat(both.holdCount()).isZero();
    }

    @Test
    void aLossCountsForMoreThanAClosedClient() {
        both.lock();
        oneOfB.forceUnlock();
        sim.runReady();
        otherA.close();
        Throwable thrown = catchUnlock();
        assertThat(thrown)
                .isInstanceOfSatisfying(
                        LeaseLostException.class,
                        loss -> assertThat(loss.name()).isEqualTo("1"));
        assertThat(thrown.getSuppressed()).singleElement().isInstanceOf(IllegalStateException.class);
    }

    @Test
    void theOthersAreReleasedWhenAClientIsClosed() {
        both.lock();
        otherA.close();
        assertThat(both.isValid()).isFalse();
        assertThatThrownBy(both::unlock)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("'2'");
        assertFree(one);
    }

    private Throwable catchUnlock() {
        try {
            both.unlock();
        } catch (RuntimeException e) {
            return e;
        }
        throw new AssertionError("the unlock told nothing");
    }

    // ---- levels

    @Test
    void theThreadMayLockAgainWithoutAStoreCall() {
        both.lock();
        long before = calls(a) + calls(otherA);
        long token = one.fencingToken();
        both.lock();
        one.lock();
        assertThat(calls(a) + calls(otherA)).isEqualTo(before);
        assertThat(one.fencingToken()).isEqualTo(token);
        assertThat(both.holdCount()).isEqualTo(2);
        one.unlock();
        both.unlock();
        assertThat(both.isValid()).isTrue();
        both.unlock();
        assertFree(one);
    }

    @Test
    void aFailedSecondLevelLeavesTheFirst() {
        both.lock();
        twoOfB.forceUnlock();
        sim.runReady();
        assertThatThrownBy(both::lock).isInstanceOf(LeaseLostException.class);
        assertThat(both.holdCount()).isEqualTo(1);
        assertThat(one.holdCount()).isEqualTo(1);
        assertThatThrownBy(both::unlock).isInstanceOf(LeaseLostException.class);
        assertThat(one.holdCount()).isZero();
    }

    @Test
    void whatWasNotLockedHereIsNotUnlockedHere() {
        one.lock();
        two.lock();
        assertThat(both.isHeldByCurrentThread()).isFalse();
        assertThatThrownBy(both::unlock)
                .isInstanceOf(IllegalMonitorStateException.class)
                .hasMessageContainingAll("'1'", "'2'", "nothing was unlocked");
        assertThatThrownBy(both::remainingLease).isInstanceOf(IllegalMonitorStateException.class);
        one.unlock();
        two.unlock();
    }

    @Test
    void aStrangersUnlockIsRefused() {
        both.lock();
        SimThread stranger = start("stranger", both::unlock);
        sim.runReady();
        assertThat(stranger.failure().orElseThrow())
                .isInstanceOf(IllegalMonitorStateException.class)
                .hasMessageContaining("stranger");
        assertThat(both.isValid()).isTrue();
        both.unlock();
    }

    @Test
    void aThreadThatDiesFreesAll() {
        start("dying", both::lock).join();
        sim.runFor(LEASE.plusSeconds(20));
        assertThat(MultiLock.of(oneOfB, twoOfB).tryLock()).isTrue();
        oneOfB.unlock();
        twoOfB.unlock();
    }

    // ---- refusals

    @Test
    void badMembersAreRefused() {
        assertThatThrownBy(MultiLock::of)
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("no locks");
        assertThatThrownBy(() -> MultiLock.of(List.of())).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> MultiLock.of(one, two, oneOfB))
                .as("by another client of the same store")
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContainingAll("'1'", "twice", "once");
        DistributedLock foreign = (DistributedLock) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {DistributedLock.class}, (proxy, method, args) -> "odd");
        assertThatThrownBy(() -> MultiLock.of(one, foreign))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContainingAll("'odd'", foreign.getClass().getName());
    }

    @Test
    void badLeasesAreRefusedAndNothingIsTaken() {
        assertThatThrownBy(() -> both.lock(Duration.ofMillis(1))).isInstanceOf(IllegalArgumentException.class);
        assertThat(both.holdCount()).isZero();
        assertThatThrownBy(both::newCondition)
                .isInstanceOf(UnsupportedOperationException.class)
                .hasMessageContaining("'1'");
    }

    @Test
    void privateStoresInMemoryAreDifferentOnes() {
        Holdfast left = client("left", options -> options.uri("memory:"));
        Holdfast right = client("right", options -> options.uri("memory:"));
        MultiLock pair = MultiLock.of(left.lock("n"), right.lock("n"));
        pair.lock(SECOND);
        assertThat(pair.isValid()).isTrue();
        pair.unlock();
    }
}
