package io.holdfast.testkit.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.DistributedLatch;
import io.holdfast.DistributedLock;
import io.holdfast.DistributedReadWriteLock;
import io.holdfast.DistributedSemaphore;
import io.holdfast.Holdfast;
import io.holdfast.HoldfastBuilder;
import io.holdfast.Lease;
import io.holdfast.LeaseLostException;
import io.holdfast.LockEvent;
import io.holdfast.OnMaxHold;
import io.holdfast.recipes.LeaderElection;
import io.holdfast.recipes.Leadership;
import io.holdfast.recipes.MultiLease;
import io.holdfast.recipes.MultiLock;
import io.holdfast.recipes.QuorumLease;
import io.holdfast.recipes.QuorumLock;
import io.holdfast.recipes.SegmentLease;
import io.holdfast.recipes.SegmentedLock;
import io.holdfast.testkit.SimThread;
import io.holdfast.testkit.faults.Fault;
import io.holdfast.testkit.faults.Held;
import io.holdfast.testkit.faults.Operation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** An error such as OutOfMemoryError, wherever it comes: nobody waits for ever, and nothing is held for ever. */
@Tag("everywhere")
class ErrorTest extends VirtualTime {

    private static final Duration SHORT = Duration.ofMillis(100);

    private final List<LockEvent> heard = new ArrayList<>();
    private final ScarcePlatform platform = new ScarcePlatform(sim);
    private final Holdfast c = client(
            "c",
            options -> options.platform(platform)
                    .provider(provider(server::open))
                    .listener(event -> {
                        throw new StackOverflowError();
                    })
                    .listener(heard::add));
    private final DistributedLock lock = c.lock("n");

    @AfterEach
    void nothingIsLeft() {
        assertNothingIsLeft();
    }

    /** A thread that lives on after its wait failed in that method. */
    private void failsIn(String method, SimThread.Body wait) {
        SimThread waiter = start("waiter", () -> {
            assertThatThrownBy(wait::run).isInstanceOf(OutOfMemoryError.class);
            sim.sleep(Duration.ofMinutes(2));
        });
        sim.runFor(SHORT);
        platform.failWithin(method);
        sim.unpark(waiter.realThread());
        sim.runFor(SHORT);
        assertThat(platform.hasFailed()).isTrue();
        assertThat(c.stats().waiting()).isZero();
    }

    private void assertNobodyWaitsIn(SimThread.Body wait) throws InterruptedException {
        Lease held = b.lock("n").acquire();
        failsIn("parkAndCheck", wait);
        held.close();
        sim.runFor(SHORT);
        b.lock("n").tryAcquire().orElseThrow().close();
    }

    @Test
    void aWaiterOfALockIsWithdrawn() throws InterruptedException {
        assertNobodyWaitsIn(lock::lock);
    }

    @Test
    void aWaiterForALeaseIsWithdrawn() throws InterruptedException {
        assertNobodyWaitsIn(lock::acquire);
    }

    @Test
    void aWaiterOfAFairLockIsWithdrawn() throws InterruptedException {
        assertNobodyWaitsIn(c.fairLock("n")::lock);
    }

    @Test
    void aReaderIsWithdrawn() throws InterruptedException {
        Lease writing = b.readWriteLock("rw").writeLock().acquire();
        failsIn("parkAndCheck", c.readWriteLock("rw").readLock()::lock);
        writing.close();
        b.readWriteLock("rw").writeLock().tryAcquire().orElseThrow().close();
    }

    @Test
    void aWriterIsWithdrawn() throws InterruptedException {
        DistributedReadWriteLock theirs = b.readWriteLock("rw");
        Lease reading = theirs.readLock().acquire();
        failsIn("parkAndCheck", c.readWriteLock("rw").writeLock()::lock);
        theirs.readLock().tryAcquire().orElseThrow().close();
        reading.close();
    }

    @Test
    void aWaiterForAPermitIsWithdrawn() throws InterruptedException {
        DistributedSemaphore theirs = b.semaphore("s");
        theirs.trySetPermits(1);
        var permit = theirs.acquire();
        failsIn("parkAndCheck", c.semaphore("s")::acquire);
        permit.close();
        theirs.tryAcquire().orElseThrow().close();
        theirs.delete();
    }

    @Test
    void aWaiterOfALatchIsWithdrawn() {
        DistributedLatch theirs = b.countDownLatch("l");
        theirs.trySetCount(1);
        failsIn("await", c.countDownLatch("l")::await);
        long before = calls(c);
        sim.runFor(Duration.ofSeconds(5));
        assertThat(calls(c) - before).as("nobody waits any more").isZero();
        theirs.delete();
    }

    @Test
    void releasesTheMembersOfAMultiLock() throws InterruptedException {
        assertNobodyWaitsIn(MultiLock.of(lock, c.lock("m"))::lock);
        b.lock("m").tryAcquire().orElseThrow().close();
    }

    @Test
    void releasesTheOtherMembersOfAMultiLockAfterAnErrorInOne() {
        MultiLock both = MultiLock.of(lock, c.lock("m"));
        start("owner", () -> {
                    both.lock();
                    platform.failWithin("startUnlock");
                    assertThatThrownBy(both::unlock).isInstanceOf(OutOfMemoryError.class);
                    assertThat(lock.holdCount()).isOne();
                    b.lock("m").tryAcquire().orElseThrow().close();
                    lock.unlock();
                })
                .join();
    }

    @Test
    void throwsTheErrorOfAReleaseAfterARefusedTry() throws InterruptedException {
        Lease theirs = b.lock("n").acquire();
        start("owner", () -> {
                    platform.failWithin("startUnlock");
                    assertThatThrownBy(MultiLock.of(lock, c.lock("m"))::tryLock).isInstanceOf(OutOfMemoryError.class);
                    c.lock("m").unlock();
                })
                .join();
        theirs.close();
    }

    @Test
    void anAnswerThatCannotBeReadIsAskedForAgain() {
        Held reply = faults(c).holdReply(Operation.ACQUIRE);
        SimThread user = start("user", () -> {
            lock.lock();
            lock.unlock();
        });
        sim.runFor(SHORT);
        platform.failWithin("replied");
        reply.letGo();
        assertThat(platform.hasFailed()).isTrue();
        sim.runUntil(user::done, Duration.ofSeconds(1));
        user.join();
    }

    @Test
    void aFutureThatCannotBeCompletedFailsAndItsHoldIsReleased() {
        platform.failWithin("deliver");
        CompletableFuture<Lease> future = lock.async().acquire();
        sim.runFor(SHORT);
        assertThat(platform.hasFailed()).isTrue();
        assertThat(future).isCompletedExceptionally();
        assertThat(b.lock("n").tryLock()).isTrue();
        b.lock("n").unlock();
    }

    /** The request for the second member fails where nobody but the library can catch the error. */
    @Test
    void aMultiLockWhoseNextMemberCannotBeRequestedFailsAndReleasesTheFirst() {
        Held first = faults(c).holdReply(Operation.ACQUIRE);
        CompletableFuture<MultiLease> future =
                MultiLock.of(c.lock("m"), lock).async().acquire();
        sim.runUntil(first::isCaught, LONG);
        platform.failWithin("leaseAsync");
        first.letGo();
        sim.runFor(SHORT);
        assertThat(platform.hasFailed()).isTrue();
        assertThat(future).isCompletedExceptionally();
        assertThat(b.lock("m").tryLock()).isTrue();
        b.lock("m").unlock();
    }

    @Test
    void aListenerThatFailsKeepsNothingFromTheNext() throws InterruptedException {
        lock.acquire().close();
        sim.runFor(SHORT);
        assertThat(heard).hasSize(2);
    }

    @Test
    void aLatchIsAskedForAgainAfterAnAnswerThatCannotBeRead() {
        DistributedLatch theirs = b.countDownLatch("l");
        theirs.trySetCount(1);
        CompletableFuture<Void> open = c.countDownLatch("l").async().await();
        sim.runFor(SHORT);
        platform.failWithin("endIfOverdue");
        faults(c).next(Operation.COUNT, Fault.FAIL_BEFORE);
        sim.runFor(Duration.ofSeconds(2));
        assertThat(platform.hasFailed()).isTrue();
        faults(c).next(Operation.SIGNAL, Fault.DROP_SIGNAL);
        theirs.countDown();
        sim.runFor(Duration.ofSeconds(2));
        assertThat(open).isCompleted();
    }

    @Test
    void aWaiterForAMajorityIsWithdrawn() throws InterruptedException {
        QuorumLock mine = quorum("mine", options -> options.platform(platform));
        QuorumLock theirs = quorum("theirs", options -> options);
        theirs.lock();
        failsIn("doneUnlessInterrupted", mine::lockInterruptibly);
        theirs.unlock();
        sim.runFor(Duration.ofSeconds(5));
        assertThat(theirs.tryLock()).isTrue();
        theirs.unlock();
        sim.runReady();
    }

    @Test
    void aServerThatCannotBeAskedHoldsUpNoMajority() {
        assertHeldInSpiteOf("tryOnce");
    }

    @Test
    void aServerThatCannotBeToldTheTokenHoldsUpNoMajority() {
        sim.server("q1").stepClock(Duration.ofHours(1));
        assertHeldInSpiteOf("renew");
    }

    private void assertHeldInSpiteOf(String method) {
        QuorumLock mine = quorum("mine", options -> options.platform(platform));
        SimThread user = start("user", () -> {
            mine.lock();
            assertThat(mine.heldAt()).isEqualTo(2);
            mine.unlock();
        });
        platform.failWithin(method);
        sim.runFor(SHORT);
        assertThat(platform.hasFailed()).isTrue();
        assertThat(user.done()).isTrue();
        user.join();
        sim.runReady();
    }

    /** Waits for a majority that others hold. The first attempt has ended, and the waiter is at the gate. */
    private SimThread waitInVain(QuorumLock mine) {
        SimThread waiter =
                start("waiter", () -> assertThatThrownBy(mine::lock).hasRootCauseInstanceOf(OutOfMemoryError.class));
        sim.runFor(SHORT);
        assertThat(waiter.done()).isFalse();
        return waiter;
    }

    private void assertFails(SimThread waiter) {
        sim.runUntil(waiter::done, Duration.ofSeconds(10));
        waiter.join();
        assertThat(platform.hasFailed()).isTrue();
    }

    /** For other clients, and for the next thread of the same process. */
    private void assertFree(QuorumLock mine, QuorumLock theirs) {
        sim.runFor(Duration.ofSeconds(5));
        assertThat(theirs.tryLock()).isTrue();
        theirs.unlock();
        start("next", () -> {
                    mine.lock();
                    mine.unlock();
                })
                .join();
        sim.runReady();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "QuorumHold.fail",
                "QuorumRequest.attemptEnded",
                "QuorumRequest.awaitTurn",
                "QuorumRequest.requestTurn",
                "QuorumRequest.turnEnded"
            })
    void aWaiterForAMajorityFailsWithAnyStep(String step) {
        QuorumLock mine = quorum("mine", options -> options.platform(platform));
        QuorumLock theirs = quorum("theirs", options -> options);
        theirs.lock();
        SimThread waiter = waitInVain(mine);
        platform.failWithin(step);
        assertFails(waiter);
        theirs.unlock();
        assertFree(mine, theirs);
    }

    /** The wait for a turn is over in vain, and so is the attempt after it. */
    @Test
    void aWaiterForAMajorityFailsWithTheStepAfterAPause() {
        QuorumLock mine = quorum("mine", options -> options.platform(platform));
        QuorumLock theirs = quorum("theirs", options -> options);
        theirs.lock();
        SimThread waiter = waitInVain(mine);
        platform.within(
                "QuorumRequest.turnEnded",
                () -> platform.within(
                        "QuorumRequest.attemptEnded", () -> platform.failWithin("QuorumRequest.tryAgain")));
        assertFails(waiter);
        theirs.unlock();
        assertFree(mine, theirs);
    }

    /** The waiter has the lock at the gate, or at a majority, when it fails. */
    @ParameterizedTest
    @ValueSource(strings = {"QuorumRequest.turnEnded", "QuorumHold.decide"})
    void aWaiterForAMajorityThatFailsWithTheTurnReleasesIt(String step) {
        QuorumLock mine = quorum("mine", options -> options.platform(platform));
        QuorumLock theirs = quorum("theirs", options -> options);
        theirs.lock();
        SimThread waiter = waitInVain(mine);
        platform.failWithin(step);
        theirs.unlock();
        assertFails(waiter);
        assertFree(mine, theirs);
    }

    @Test
    void aFutureOfAMajorityThatFailsWithTheTurnReleasesIt() {
        QuorumLock mine = quorum("mine", options -> options.platform(platform));
        QuorumLock theirs = quorum("theirs", options -> options);
        theirs.lock();
        CompletableFuture<QuorumLease> future = mine.async().acquire();
        sim.runFor(SHORT);
        platform.failWithin("QuorumRequest.turnEnded");
        theirs.unlock();
        sim.runFor(SHORT);
        assertThat(platform.hasFailed()).isTrue();
        assertThat(future).isCompletedExceptionally();
        assertFree(mine, theirs);
    }

    @Test
    void aFutureOfAMajorityThatCannotBeCompletedFailsAndItsHoldIsReleased() {
        QuorumLock mine = quorum("mine", options -> options.platform(platform));
        platform.failWithin("ClientQuorumLock.answered");
        CompletableFuture<QuorumLease> future = mine.async().acquire();
        sim.runFor(SHORT);
        assertThat(platform.hasFailed()).isTrue();
        assertThat(future).isCompletedExceptionally();
        assertFree(mine, quorum("theirs", options -> options));
    }

    private void forceFirstServer() {
        Holdfast admin = client("admin", options -> options.provider(provider(sim.server("q0")::open)));
        assertThat(admin.lock("q").forceUnlock()).isTrue();
    }

    @Test
    void aServerThatCannotBeReleasedKeepsNoOther() {
        QuorumLock mine = quorum("mine", options -> options.platform(platform));
        QuorumLock theirs = quorum("theirs", options -> options);
        mine.lock();
        sim.runReady();
        platform.failWithin("QuorumMember.release");
        mine.unlock();
        assertThat(platform.hasFailed()).isTrue();
        assertThat(theirs.tryLock()).isTrue();
        assertThat(theirs.heldAt()).isEqualTo(2);
        theirs.unlock();
        forceFirstServer();
        sim.runFor(LEASE);
    }

    @Test
    void aServerThatIsMissingIsAskedAgainThoughALookForItFailed() {
        QuorumLock mine = quorum("mine", options -> options.platform(platform));
        mine.lock();
        sim.runReady();
        forceFirstServer();
        platform.failWithin("QuorumHold.tick");
        sim.runFor(LEASE);
        assertThat(platform.hasFailed()).isTrue();
        assertThat(mine.heldAt()).isEqualTo(3);
        mine.unlock();
    }

    @Test
    void aSearchForASegmentThatCannotGoOnFails() {
        SegmentedLock theirs = SegmentedLock.of(b, "s", 2);
        List<SegmentLease> all = List.of(
                theirs.tryAcquireAny().orElseThrow(), theirs.tryAcquireAny().orElseThrow());
        CompletableFuture<SegmentLease> future =
                SegmentedLock.of(c, "s", 2).async().acquireAny();
        sim.runFor(SHORT);
        platform.failWithin("SegmentSearch.next");
        sim.runFor(Duration.ofSeconds(2));
        assertThat(platform.hasFailed()).isTrue();
        assertThat(future).isCompletedExceptionally();
        assertThat(c.stats().waiting()).isZero();
        all.forEach(SegmentLease::close);
    }

    @Test
    void aLeaseWhoseReleaseFailedIsClosedASecondTimeWithoutAWait() {
        Lease lease = c.lock("n").tryAcquire().orElseThrow();
        platform.failWithin("startRelease");
        assertThatThrownBy(lease::close).isInstanceOf(OutOfMemoryError.class);
        start("second", () -> {
                    Duration before = sim.elapsed();
                    lease.close();
                    assertThat(sim.elapsed()).isEqualTo(before);
                })
                .join();
        assertThat(b.lock("n").forceUnlock()).isTrue();
        sim.runFor(LEASE);
    }

    @Test
    void theEndOfALeadershipIsToldThoughItsReleaseFails() {
        List<Leadership.End> ends = new ArrayList<>();
        Leadership leadership =
                LeaderElection.of(c, "n").tryCampaign().orElseThrow().onEnd(ends::add);
        platform.failWithin("startRelease");
        assertThatThrownBy(leadership::close).isInstanceOf(OutOfMemoryError.class);
        sim.runFor(SHORT);
        assertThat(ends).hasSize(1);
        assertThat(b.lock("n").forceUnlock()).isTrue();
        sim.runFor(LEASE);
    }

    @Test
    void aLossIsToldThoughItCannotBeLogged() throws InterruptedException {
        List<Object> told = new ArrayList<>();
        Lease lease = lock.acquire();
        lease.onLost(told::add);
        platform.failWithin("Warnings.add");
        b.lock("n").forceUnlock();
        sim.runFor(LEASE);
        assertThat(platform.hasFailed()).isTrue();
        assertThat(told).hasSize(1);
        assertThat(heard).hasAtLeastOneElementOfType(LockEvent.Lost.class);
    }

    @Test
    void aHoldThatIsTooOldEndsThoughThatCannotBeLogged() throws InterruptedException {
        Holdfast d = client(
                "d",
                options -> options.platform(platform)
                        .provider(provider(server::open))
                        .maxHold(Duration.ofSeconds(2), OnMaxHold.STOP_RENEWING));
        Lease lease = d.lock("n").acquire();
        platform.failWithin("Warnings.add");
        sim.runFor(LEASE.multipliedBy(2));
        assertThat(platform.hasFailed()).isTrue();
        assertThat(lease.isValid()).isFalse();
    }

    @Test
    void aHoldThatIsTooOldEndsThoughTheStackOfItsThreadCannotBeRead() {
        Holdfast d = client(
                "d",
                options -> options.platform(platform)
                        .provider(provider(server::open))
                        .maxHold(Duration.ofSeconds(2), OnMaxHold.STOP_RENEWING));
        DistributedLock slow = d.lock("n");
        slow.lock();
        platform.failWithin("MaxHoldAction.report");
        sim.runFor(LEASE.multipliedBy(2));
        assertThat(platform.hasFailed()).isTrue();
        assertThatThrownBy(slow::unlock).isInstanceOf(LeaseLostException.class);
    }

    private QuorumLock quorum(String process, UnaryOperator<HoldfastBuilder> more) {
        return QuorumLock.of(
                IntStream.range(0, 3)
                        .mapToObj(i -> client(
                                process + i,
                                options -> more.apply(options.provider(provider(sim.server("q" + i)::open)))))
                        .toList(),
                "q");
    }

    /** One that is held for too long is told of by a scan, which fails. */
    @Test
    void aLookThatFailsLeavesNoOtherInDoubtAfterAStepOfTheClock() throws InterruptedException {
        Holdfast d = client(
                "d",
                options -> options.platform(platform)
                        .provider(provider(server::open))
                        .maxHold(Duration.ofMillis(5_500)));
        List<Lease> leases = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            leases.add(d.lock("old" + i).acquire());
        }
        sim.runFor(Duration.ofSeconds(2));
        for (int i = 0; i < 20; i++) {
            leases.add(d.lock("young" + i).acquire());
        }
        sim.runFor(Duration.ofMillis(3_200));
        platform.failWithin("scan");
        sim.stepWallClock(Duration.ofMinutes(1));
        sim.runFor(Duration.ofSeconds(1));
        assertThat(platform.hasFailed()).isTrue();
        assertThat(leases.subList(5, 25)).allMatch(Lease::isValid);
        sim.runFor(Duration.ofSeconds(1));
        assertThat(leases).allMatch(Lease::isValid);
        leases.forEach(Lease::close);
    }
}
