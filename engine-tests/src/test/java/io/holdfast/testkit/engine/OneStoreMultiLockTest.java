package io.holdfast.testkit.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import io.holdfast.IndeterminateLockException;
import io.holdfast.Lease;
import io.holdfast.LeaseLostException;
import io.holdfast.LockEvent;
import io.holdfast.LockOptions;
import io.holdfast.LockTimeoutException;
import io.holdfast.StoreRefusedException;
import io.holdfast.StoreUnavailableException;
import io.holdfast.recipes.MultiLease;
import io.holdfast.recipes.MultiLock;
import io.holdfast.testkit.SimThread;
import io.holdfast.testkit.check.LeakChecker;
import io.holdfast.testkit.faults.Fault;
import io.holdfast.testkit.faults.Held;
import io.holdfast.testkit.faults.Operation;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** All or nothing over members in one store. */
class OneStoreMultiLockTest extends VirtualTime {

    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final Duration SHORT = Duration.ofMillis(100);
    private static final Duration MILLI = Duration.ofMillis(1);

    @RegisterExtension
    final LeakChecker leaks = new LeakChecker().simulation(sim);

    private final MultiLock all = of(a, "3", "1", "4", "2");

    @BeforeEach
    void firstContact() {
        List.of(a, b).forEach(OneStoreMultiLockTest::firstContact);
    }

    private static void firstContact(Holdfast client) {
        client.lock("0").lock();
        client.lock("0").unlock();
    }

    @AfterEach
    void nothingIsLeft() {
        assertNothingIsLeft();
        assertThat(of(b, "1", "2", "3", "4").tryLock()).isTrue();
        Stream.of("1", "2", "3", "4").forEach(name -> b.lock(name).unlock());
    }

    private static MultiLock of(Holdfast client, String... names) {
        return MultiLock.of(Stream.of(names).map(client::lock).toList());
    }

    /** A way to take some; what it gives back is run to release them. */
    private interface Way {

        Runnable take() throws InterruptedException;
    }

    /** How many calls the way costs. */
    private long cost(Way way) {
        try {
            long before = calls(a);
            Runnable release = way.take();
            long cost = calls(a) - before;
            release.run();
            return cost;
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private static Runnable locked(MultiLock lock, boolean got) {
        assertThat(got).isTrue();
        assertThat(lock.isValid()).isTrue();
        return lock::unlock;
    }

    private static Runnable locked(MultiLock lock) {
        lock.lock();
        return locked(lock, true);
    }

    private static Runnable leased(Optional<MultiLease> lease) {
        assertThat(lease.orElseThrow().isValid()).isTrue();
        assertThat(lease.orElseThrow().names()).containsExactly("1", "2", "3", "4");
        return lease.orElseThrow()::close;
    }

    // ---- what it costs

    @Test
    void acquiresEachFreeMemberByOneCallInEveryWay() {
        List<Way> ways = List.of(
                () -> locked(all),
                () -> {
                    all.lock(SECOND);
                    return locked(all, true);
                },
                () -> {
                    all.lockInterruptibly();
                    return locked(all, true);
                },
                () -> locked(all, all.tryLock()),
                () -> locked(all, all.tryLock(SECOND)),
                () -> locked(all, all.tryLock(SECOND, SECOND)),
                () -> leased(Optional.of(all.acquire())),
                () -> leased(Optional.of(all.acquire(SECOND))),
                () -> leased(Optional.of(all.acquire(Duration.ZERO))),
                () -> leased(all.tryAcquire()),
                () -> leased(all.tryAcquire(SECOND)),
                () -> leased(all.tryAcquire(SECOND, SECOND)),
                () -> leased(Optional.of(sim.await(all.async().acquire()))),
                () -> leased(Optional.of(sim.await(all.async().acquire(SECOND)))),
                () -> leased(sim.await(all.async().tryAcquire())),
                () -> leased(sim.await(all.async().tryAcquire(SECOND))),
                () -> leased(sim.await(all.async().tryAcquire(SECOND, SECOND))));
        assertThat(ways).extracting(this::cost).containsOnly(4L);
    }

    @Test
    void givesEachMemberItsOwnTokenAndLease() throws InterruptedException {
        DistributedLock shorter = a.lock("2", LockOptions.defaults().withLease(Duration.ofSeconds(5)));
        MultiLock lock = MultiLock.of(a.lock("1"), shorter);
        lock.lock();
        assertThat(a.lock("1").remainingLease()).isGreaterThan(Duration.ofSeconds(29));
        assertThat(shorter.remainingLease()).isBetween(Duration.ofSeconds(4), Duration.ofSeconds(5));
        long token = shorter.fencingToken();
        sim.runFor(Duration.ofMinutes(1));
        assertThat(lock.isValid()).as("renewed").isTrue();
        lock.unlock();
        assertThat(lock.tryLock(Duration.ZERO, SECOND)).isTrue();
        assertThat(lock.remainingLease()).isBetween(Duration.ofMillis(900), SECOND);
        assertThat(shorter.fencingToken()).isGreaterThan(token);
        sim.runFor(SECOND);
        assertThatThrownBy(lock::unlock).isInstanceOf(LeaseLostException.class);
    }

    @Test
    void acquiresFairLocksAndReadersAsMembers() {
        MultiLock mixed = MultiLock.of(
                a.lock("1"),
                a.fairLock("2"),
                a.lock("3"),
                a.lock("4"),
                a.readWriteLock("5").readLock());
        assertThat(cost(() -> locked(mixed))).isEqualTo(5);
    }

    // ---- held by others

    @Test
    void leavesNothingAfterARefusedTry() {
        b.lock("3").lock();
        assertThat(all.tryLock()).isFalse();
        assertThat(all.tryAcquire()).isEmpty();
        assertThat(sim.await(all.async().tryAcquire())).isEmpty();
        assertThat(all.isHeldByCurrentThread()).isFalse();
        assertThat(sim.inUse()).hasSize(1);
        assertThat(b.inspect("3").waiters()).isEmpty();
        assertThat(a.stats().unsettled()).isZero();
        b.lock("3").unlock();
    }

    @Test
    void waitsForAHeldMemberWhileHoldingThoseBeforeIt() {
        b.lock("3").lock();
        long before = calls(a);
        SimThread waiter = start("waiter", () -> locked(all).run());
        sim.runReady();
        assertThat(calls(a) - before).as("the two before it, and it").isEqualTo(3);
        assertThat(b.lock("1").isLocked()).isTrue();
        assertThat(b.lock("2").isLocked()).isTrue();
        assertThat(b.lock("4").isLocked()).isFalse();
        assertThat(b.inspect("3").waiters()).hasSize(1);
        b.lock("3").unlock();
        waiter.join();
    }

    @Test
    void waitsByFutureForAHeldMemberWhileHoldingThoseBeforeIt() {
        b.lock("3").lock();
        CompletableFuture<MultiLease> future = all.async().acquire();
        sim.runFor(SECOND);
        assertThat(b.lock("2").isLocked()).isTrue();
        assertThat(b.lock("4").isLocked()).isFalse();
        b.lock("3").unlock();
        sim.await(future).close();
    }

    @Test
    void namesTheMemberAndItsHolderAtATimeout() {
        b.lock("2").lock();
        for (Duration wait : List.of(Duration.ZERO, Duration.ofMillis(700))) {
            assertThatThrownBy(() -> all.acquire(wait))
                    .isInstanceOfSatisfying(
                            LockTimeoutException.class,
                            e -> assertThat(e.name()).isEqualTo("2"))
                    .hasMessageContainingAll("within " + wait.toMillis() + " ms", "held by", b.clientId());
            assertThatThrownBy(() -> sim.await(all.async().acquire(wait)))
                    .isInstanceOf(LockTimeoutException.class)
                    .hasMessageContainingAll("'2'", "held by");
        }
        b.lock("2").unlock();
    }

    @Test
    void doesNotOvertakeAFairWaiterOfAMember() {
        Holdfast holder = client("holder");
        var unused = sim.await(holder.lock("2").async().tryAcquire(Duration.ZERO, Duration.ofMillis(500)));
        SimThread waiter = start("fair", () -> {
            b.fairLock("2").lock();
            sim.sleep(SECOND);
            b.fairLock("2").unlock();
        });
        sim.runFor(Duration.ofMillis(400));
        Held poll = faults(b).holdRequest(Operation.ACQUIRE);
        sim.runFor(Duration.ofMillis(101));
        assertThat(a.inspect("2").holder()).as("its lease is over").isEmpty();
        assertThat(a.inspect("2").waiters()).hasSize(1);
        assertThat(all.tryLock()).isFalse();
        assertThat(a.inspect("2").holder().orElseThrow().client().id()).isEqualTo(b.clientId());
        poll.letGo();
        waiter.join();
        holder.close();
    }

    @Test
    void namesTheRefusedMemberInEveryWay() {
        DistributedLock reading = b.readWriteLock("2").readLock();
        reading.lock();
        assertThatThrownBy(all::tryLock)
                .isInstanceOf(StoreRefusedException.class)
                .hasMessageContaining("lock '2'");
        assertThatThrownBy(() -> sim.await(all.async().acquire()))
                .isInstanceOf(StoreRefusedException.class)
                .hasMessageContaining("lock '2'");
        reading.unlock();
    }

    /** Delays the next reply to an acquire beyond the time of a short wait. */
    private void delayReply() {
        Held reply = faults(a).holdReply(Operation.ACQUIRE);
        start("network", () -> {
            while (!reply.isCaught()) {
                sim.sleep(MILLI);
            }
            sim.sleep(SECOND);
            reply.letGo();
        });
    }

    @Test
    void sendsNoFurtherRequestWhenTheTimeIsUp() {
        long before = calls(a);
        delayReply();
        start("waiter", () -> assertThat(all.tryLock(SHORT)).isFalse()).join();
        delayReply();
        assertThat(sim.await(all.async().tryAcquire(SHORT))).isEmpty();
        assertThat(calls(a) - before)
                .as("twice the first member and its release")
                .isEqualTo(4);
    }

    @Test
    void saysThatTheTimeWasUpBeforeEveryMemberWasRequested() {
        delayReply();
        assertThatThrownBy(() -> all.acquire(SHORT))
                .isInstanceOfSatisfying(
                        LockTimeoutException.class, e -> assertThat(e.name()).isEmpty())
                .hasMessageContaining("before every member had been requested");
    }

    /** The first member is lost and taken by another client, so the second attempt finds it held when the time is up. */
    @Test
    void namesTheMemberThatWasHeldWhenTheTimeWasUp() {
        b.lock("4").lock();
        SimThread waiter = start(
                "waiter",
                () -> assertThatThrownBy(() -> all.acquire(SECOND))
                        .isInstanceOfSatisfying(
                                LockTimeoutException.class,
                                e -> assertThat(e.name()).isEqualTo("1"))
                        .hasMessageContainingAll("multi-lock of '1'", "lock '1' was held by another owner"));
        sim.runFor(SHORT);
        b.lock("1").forceUnlock();
        b.lock("1").lock();
        Held release = faults(a).holdReply(Operation.RELEASE);
        b.lock("4").unlock();
        sim.runUntil(release::isCaught, LONG);
        delayReply();
        release.letGo();
        waiter.join();
        b.lock("1").unlock();
    }

    // ---- in this client

    @Test
    void entersMembersOfTheThreadAgainAndAcquiresTheOthers() {
        a.lock("1").lock();
        assertThat(cost(() -> {
                    Runnable release = locked(all);
                    assertThat(a.lock("1").holdCount()).isEqualTo(2);
                    return release;
                }))
                .isEqualTo(3);
        assertThat(a.lock("1").holdCount()).isEqualTo(1);
        all.lock();
        assertThat(cost(() -> locked(all))).isZero();
        all.unlock();
        a.lock("1").unlock();
    }

    @Test
    void refusesAMemberThatIsNotReentrantAndKeepsNothing() {
        DistributedLock once = a.lock("3", LockOptions.defaults().withReentrant(false));
        MultiLock lock = MultiLock.of(a.lock("1"), a.lock("2"), once);
        lock.lock();
        assertThatThrownBy(lock::lock).isInstanceOf(IllegalStateException.class).hasMessageContaining("'3'");
        assertThat(a.lock("1").holdCount()).isEqualTo(1);
        lock.unlock();
        once.lock();
        assertThatThrownBy(lock::tryLock).isInstanceOf(IllegalStateException.class);
        once.unlock();
    }

    @Test
    void asksTheStoreForNoMemberThatAnotherThreadHolds() {
        SimThread owner = start("owner", () -> {
            a.lock("2").lock();
            sim.sleep(SECOND);
            a.lock("2").unlock();
        });
        sim.runReady();
        long before = calls(a);
        assertThat(all.tryLock()).isFalse();
        assertThat(calls(a) - before)
                .as("the one before it, to take and to release")
                .isEqualTo(2);
        all.lock();
        owner.join();
        all.unlock();
    }

    @Test
    void refusesAThreadThatHasALeaseOfAMember() throws InterruptedException {
        try (Lease mine = a.lock("2").acquire()) {
            assertThatThrownBy(all::lock)
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContainingAll("'2'", "wait for itself");
            assertThat(mine.isValid()).isTrue();
        }
    }

    // ---- dead threads, and forgotten leases

    @Test
    void reportsEachMemberOfADeadThread() {
        start("dying", () -> all.lock()).join();
        sim.runFor(LEASE.plusSeconds(20));
        assertThat(events(LockEvent.Abandoned.class)).hasSize(4);
    }

    @Test
    void renewsNoMemberOfAForgottenLease() throws InterruptedException {
        forget();
        for (int i = 0; i < 50 && events(LockEvent.Abandoned.class).size() < 4; i++) {
            System.gc();
            sim.runFor(SECOND);
        }
        assertThat(events(LockEvent.Abandoned.class)).hasSize(4);
        sim.runFor(LEASE);
    }

    @CanIgnoreReturnValue
    private boolean forget() throws InterruptedException {
        return all.acquire().isValid();
    }

    // ---- unknown outcomes

    @Test
    void releasesAGrantWhoseReplyIsLost() {
        faults(a).next(Operation.ACQUIRE, Fault.DROP_REPLY);
        assertThatThrownBy(all::tryLock)
                .isInstanceOf(IndeterminateLockException.class)
                .hasMessageContainingAll("'1'", "may have granted it, and any grant is being released");
        assertThat(all.isHeldByCurrentThread()).isFalse();
    }

    @Test
    void releasesAGrantThatArrivesAfterTheTimeout() {
        Held reply = faults(a).holdReply(Operation.ACQUIRE);
        CompletableFuture<MultiLease> future = all.async().acquire();
        assertThatThrownBy(() -> sim.await(future)).isInstanceOf(IndeterminateLockException.class);
        reply.letGo();
        sim.runReady();
    }

    @Test
    void appliesNoLateCopy() {
        Held request = faults(a).holdRequest(Operation.ACQUIRE);
        assertThatThrownBy(all::tryLock).isInstanceOf(IndeterminateLockException.class);
        sim.runFor(SECOND);
        long before = calls(a);
        request.letGo();
        sim.runReady();
        assertThat(calls(a)).as("nothing was granted that had to be released").isEqualTo(before);
    }

    @Test
    void acquiresAgainAfterAnErrorThatAnswersAGrant() {
        faults(a).next(Operation.ACQUIRE, Fault.FAIL_AFTER);
        Duration before = sim.elapsed();
        all.lock();
        assertThat(all.isValid()).isTrue();
        assertThat(sim.elapsed().minus(before)).isLessThan(Duration.ofMillis(100));
        all.unlock();
    }

    @Test
    void holdsOnceAfterADoubledRequest() {
        faults(a).next(Operation.ACQUIRE, Fault.DOUBLE_REQUEST);
        all.lock();
        sim.runFor(Duration.ofSeconds(5));
        assertThat(all.isValid()).isTrue();
        all.unlock();
        assertThat(events(LockEvent.Lost.class)).isEmpty();
    }

    @Test
    void namesTheFirstMemberWhenTheStoreIsUnreachable() {
        faults(a).outage(true);
        assertThatThrownBy(all::lock)
                .isInstanceOf(StoreUnavailableException.class)
                .hasMessageContaining("'1'");
        faults(a).outage(false);
    }

    @Test
    void acquiresAgainAfterAGrantThatTookLongerThanItsLease() {
        Held reply = faults(a).holdReply(Operation.ACQUIRE);
        SimThread owner = start("owner", () -> {
            assertThat(all.tryLock(Duration.ofSeconds(10), SECOND)).isTrue();
            assertThat(all.remainingLease()).isGreaterThan(Duration.ofMillis(900));
            all.unlock();
        });
        sim.runUntil(reply::isCaught, LONG);
        sim.runFor(Duration.ofMillis(1_100));
        reply.letGo();
        owner.join();
    }

    @Test
    void endsAtOnceAndLeavesNothingWhenInterrupted() {
        Held reply = faults(a).holdReply(Operation.ACQUIRE);
        SimThread thread = start("t", () -> {
            assertThatThrownBy(all::lockInterruptibly).isInstanceOf(InterruptedException.class);
            assertThat(all.isHeldByCurrentThread()).isFalse();
            assertThat(a.lock("1").isHeldByCurrentThread()).isFalse();
        });
        sim.runUntil(reply::isCaught, LONG);
        thread.interrupt();
        sim.runUntil(thread::done, MILLI);
        thread.join();
        reply.letGo();
    }

    @Test
    void keepsAnInterruptThatEndsNoWait() {
        Held reply = faults(a).holdReply(Operation.ACQUIRE);
        SimThread thread = start("t", () -> {
            all.lock();
            assertThat(Thread.interrupted()).isTrue();
            assertThat(all.isValid()).isTrue();
            all.unlock();
            Thread.currentThread().interrupt();
            assertThatThrownBy(all::lockInterruptibly).isInstanceOf(InterruptedException.class);
        });
        sim.runUntil(reply::isCaught, LONG);
        thread.interrupt();
        sim.runReady();
        reply.letGo();
        thread.join();
    }

    @Test
    void leavesNothingWhenTheFutureIsCanceledAtAnyMoment() {
        for (int moment = 0; moment < 40; moment++) {
            CompletableFuture<MultiLease> future = all.async().acquire();
            int[] looks = {moment};
            sim.passUntil(() -> looks[0]-- <= 0, SECOND);
            if (!future.cancel(true)) {
                sim.await(future.join().closeAsync());
            }
            sim.runFor(Duration.ofMillis(100));
            assertThat(sim.inUse()).isEmpty();
        }
    }

    @Test
    void leavesNothingWhenTheFutureIsCanceledDuringARequest() {
        for (boolean applied : List.of(true, false)) {
            Held request =
                    applied ? faults(a).holdReply(Operation.ACQUIRE) : faults(a).holdRequest(Operation.ACQUIRE);
            CompletableFuture<MultiLease> future = all.async().acquire();
            sim.runUntil(request::isCaught, LONG);
            future.cancel(true);
            sim.runReady();
            assertThat(a.stats().waiting()).isZero();
            request.letGo();
            sim.runFor(Duration.ofSeconds(5));
            assertThat(sim.inUse()).isEmpty();
        }
    }

    @Test
    void keepsNothingWhenTheClientIsClosedDuringARequest() {
        Holdfast closing = client("closing");
        firstContact(closing);
        Held reply = faults(closing).holdReply(Operation.ACQUIRE);
        MultiLock lock = of(closing, "1", "2");
        SimThread thread = start(
                "t",
                () -> assertThatThrownBy(lock::lock)
                        .isInstanceOf(IllegalStateException.class)
                        .hasMessageContainingAll("'1'", "closed"));
        sim.runUntil(reply::isCaught, LONG);
        closing.close();
        thread.join();
        assertThatThrownBy(lock::tryLock).isInstanceOf(IllegalStateException.class);
    }

    // ---- many threads

    @Test
    void letsManyThreadsThroughInAnyOrder() {
        List<MultiLock> locks =
                List.of(of(a, "1", "2", "3"), of(b, "3", "2"), of(a, "3", "1"), of(b, "2", "3", "1"), of(a, "4", "3"));
        int[] inside = {0};
        for (int i = 0; i < 15; i++) {
            MultiLock lock = locks.get(i % locks.size());
            start("t" + i, () -> {
                for (int round = 0; round < 20; round++) {
                    lock.lock();
                    // every two of them have "3" in common
                    assertThat(++inside[0]).isEqualTo(1);
                    assertThat(lock.isValid()).isTrue();
                    sim.letOthersRun();
                    inside[0]--;
                    lock.unlock();
                }
            });
        }
        sim.runThreads();
    }
}
