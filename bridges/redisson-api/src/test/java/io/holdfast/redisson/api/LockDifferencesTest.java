package io.holdfast.redisson.api;

import static io.holdfast.redisson.api.Contract.awaitFree;
import static io.holdfast.redisson.api.Contract.name;
import static io.holdfast.redisson.api.Contract.owner;
import static io.holdfast.redisson.api.Contract.result;
import static java.util.concurrent.TimeUnit.DAYS;
import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LeaseLostException;
import io.holdfast.LockEvent;
import io.holdfast.redisson.api.OwnerLeases.Owner;
import io.holdfast.redisson.api.OwnerLeases.Side;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.redisson.api.RFencedLock;
import org.redisson.api.RFuture;
import org.redisson.api.RLock;
import org.redisson.api.RReadWriteLock;

/** What differs from Redisson for locks: each row about them in docs/migrating-from-redisson.md. */
@Tag("everywhere")
class LockDifferencesTest {

    private final String store = "memory:" + name();
    private final Holdfast holdfast = Holdfast.connect(store);
    private final Holdfast otherHoldfast = Holdfast.connect(store);
    private final RedissonLocks locks = RedissonLocks.of(holdfast);
    private final RedissonLocks others = RedissonLocks.of(otherHoldfast);

    private final AtomicInteger events = new AtomicInteger();

    {
        holdfast.addListener(event -> events.addAndGet(event instanceof LockEvent.Lost ? 1 : 0));
    }

    @AfterEach
    void close() {
        holdfast.close();
        otherHoldfast.close();
    }

    private static void elsewhere(ThrowingCallable call) throws Exception {
        result(CompletableFuture.runAsync(() -> {
            try {
                call.call();
            } catch (Throwable e) {
                throw new AssertionError(e);
            }
        }));
    }

    @Test
    void aLeaseOutOfRangeIsRefused() {
        RLock lock = locks.getLock(name());
        assertThatThrownBy(() -> lock.lock(99, MILLISECONDS))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("100 ms");
        assertThatThrownBy(() -> lock.tryLock(1, 99, MILLISECONDS)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> lock.lock(366, DAYS)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> result(lock.lockAsync(99, MILLISECONDS)))
                .hasCauseInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void aLossCountsUntilTheUnlockThatReportsIt() {
        RLock lock = locks.getLock(name());
        lock.lock();
        assertThat(others.getLock(lock.getName()).forceUnlock()).isTrue();
        assertThat(lock.isLocked()).isFalse();
        assertThat(lock.isHeldByCurrentThread()).isTrue();
        assertThat(lock.getHoldCount()).isEqualTo(1);
        assertThatThrownBy(lock::unlock).isInstanceOf(LeaseLostException.class);
        assertThat(lock.isHeldByCurrentThread()).isFalse();
    }

    @Test
    void anAsynchronousLossCountsUntilTheUnlockThatReportsIt() throws Exception {
        RLock lock = locks.getLock(name());
        long owner = owner();
        result(lock.lockAsync(5, SECONDS, owner));
        result(lock.lockAsync(5, SECONDS, owner));
        awaitFree(lock);
        assertThat(lock.isHeldByThread(owner)).isTrue();
        for (int level = 0; level < 2; level++) {
            assertThatThrownBy(() -> result(lock.unlockAsync(owner)))
                    .isInstanceOf(ExecutionException.class)
                    .hasCauseInstanceOf(LeaseLostException.class);
        }
        assertThat(lock.isHeldByThread(owner)).isFalse();
    }

    @Test
    void aNestedShorterLeaseDoesNotShortenTheHold() throws Exception {
        RLock lock = locks.getLock(name());
        lock.lock();
        lock.lock(150, MILLISECONDS);
        assertThat(lock.remainTimeToLive()).isGreaterThan(20_000);
        lock.unlock();
        lock.unlock();
        result(lock.lockAsync(20, SECONDS));
        result(lock.lockAsync(150, MILLISECONDS));
        assertThat(lock.remainTimeToLive()).isGreaterThan(15_000);
    }

    @Test
    void anAsynchronousHoldWithALeaseIsNotTakenOverByTheWatchdog() throws Exception {
        RLock lock = locks.getLock(name());
        result(lock.lockAsync(20, SECONDS));
        assertThatThrownBy(lock::lock)
                .isInstanceOf(UnsupportedOperationException.class)
                .hasMessageContaining("fixed lease");
        assertThatThrownBy(() -> result(lock.tryLockAsync())).hasCauseInstanceOf(UnsupportedOperationException.class);
        assertThat(lock.getHoldCount()).isEqualTo(1);
        lock.unlock();
        assertThat(lock.isLocked()).isFalse();
    }

    @Test
    void theHoldOfAThreadIsReleasedByThatThreadOnly() throws Exception {
        RLock lock = locks.getLock(name());
        lock.lock();
        long me = Thread.currentThread().getId();
        elsewhere(() -> assertThatThrownBy(() -> result(lock.unlockAsync(me)))
                .hasCauseInstanceOf(IllegalMonitorStateException.class)
                .hasMessageContaining("owner " + me));
        lock.unlock();
    }

    @Test
    void onlyAThreadItselfCanAskWhetherItHoldsTheLock() throws Exception {
        RLock lock = locks.getLock(name());
        long me = Thread.currentThread().getId();
        elsewhere(() -> assertThat(lock.isHeldByThread(me)).isFalse());
        lock.lock();
        elsewhere(() -> {
            assertThatThrownBy(() -> lock.isHeldByThread(me))
                    .isInstanceOf(UnsupportedOperationException.class)
                    .hasMessageContaining("isHeldByThread(" + me + ")");
            assertThatThrownBy(() -> result(lock.isHeldByThreadAsync(me)))
                    .hasCauseInstanceOf(UnsupportedOperationException.class);
            assertThat(others.getLock(lock.getName()).isHeldByThread(me)).isFalse();
        });
        lock.unlock();
        result(lock.lockAsync(owner()));
        assertThat(lock.isHeldByThread(owner())).isFalse();
    }

    @Test
    void aReaderIsRefusedTheWriteLock() {
        RReadWriteLock lock = locks.getReadWriteLock(name());
        lock.readLock().lock();
        assertThatThrownBy(() -> lock.writeLock().lock()).isInstanceOf(IllegalStateException.class);
        assertThat(lock.writeLock().tryLock()).isFalse();
    }

    @Test
    void aForcedUnlockOfAHeldHalfFreesTheWholeName() {
        RReadWriteLock lock = locks.getReadWriteLock(name());
        lock.writeLock().lock();
        lock.readLock().lock();
        assertThat(others.getReadWriteLock(lock.readLock().getName())
                        .writeLock()
                        .forceUnlock())
                .isTrue();
        assertThat(lock.readLock().isLocked() || lock.writeLock().isLocked()).isFalse();
    }

    @Test
    void aTokenBelongsToTheHold() throws Exception {
        RFencedLock lock = locks.getFencedLock(name());
        assertThatThrownBy(lock::getToken).isInstanceOf(IllegalMonitorStateException.class);
        long token = lock.lockAndGetToken();
        assertThat(lock.lockAndGetToken()).isEqualTo(token);
        elsewhere(() -> assertThat(lock.tryLockAndGetToken()).isNull());
        elsewhere(() -> assertThat(result(lock.tryLockAndGetTokenAsync())).isNull());
    }

    @Test
    void aMultiLockHasNoAsynchronousMethodsAndTakesOwnLocksOnly() {
        RLock both = locks.getMultiLock(locks.getLock(name()), locks.getLock(name()));
        assertThatThrownBy(both::lockAsync)
                .isInstanceOf(UnsupportedOperationException.class)
                .hasMessageContaining("RLockAsync.lockAsync()");
        assertThatThrownBy(() -> locks.getMultiLock(both))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("RedissonLocks");
    }

    @Test
    void aNonReentrantLockIsAcquiredAnewAfterALoss() throws Exception {
        RLock lock = locks.getNonReentrantLock(name());
        result(lock.lockAsync());
        assertThatThrownBy(() -> result(lock.lockAsync())).hasCauseInstanceOf(IllegalStateException.class);
        others.getLock(lock.getName()).forceUnlock();
        Contract.await(() -> events.get() == 1);
        lock.lock();
        assertThatThrownBy(lock::lock).isInstanceOf(IllegalStateException.class);
        lock.unlock();
    }

    @Test
    void listenersAreRefused() {
        assertThatThrownBy(() -> locks.getLock(name()).removeListener(1))
                .isInstanceOf(UnsupportedOperationException.class)
                .hasMessageContaining("removeListener(int)");
    }

    // ---- nothing is left behind

    @Test
    void anOwnerLeavesWithItsLastLevel() throws Exception {
        OwnerLeases leases = new OwnerLeases();
        Owner owner = new Owner(name(), Side.LOCK, 1);
        leases.add(owner, holdfast.lock(owner.name()).acquire(), false);
        assertThat(leases.reenter(owner, Optional.empty())).isTrue();
        assertThat(leases.end(owner).orElseThrow().last()).isFalse();
        assertThat(leases.size()).isEqualTo(1);
        assertThat(leases.end(owner).orElseThrow().last()).isTrue();
        assertThat(leases.size()).isZero();
    }

    /** The callback that removes it has yet to run. */
    @Test
    void aLostHoldIsNoHold() throws Exception {
        OwnerLeases leases = new OwnerLeases();
        Owner owner = new Owner(name(), Side.LOCK, 1);
        CountDownLatch asserted = new CountDownLatch(1);
        Lease lease = holdfast.lock(owner.name()).acquire().onLost(loss -> {
            try {
                var unused = asserted.await(20, SECONDS);
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        });
        leases.add(owner, lease, false);
        assertThat(leases.isHeld(owner)).isTrue();
        assertThat(otherHoldfast.lock(owner.name()).forceUnlock()).isTrue();
        Contract.await(() -> events.get() == 1);
        assertThat(leases.isHeld(owner)).isFalse();
        asserted.countDown();
    }

    @Test
    void lossesThatNobodyUnlocksAreBounded() throws Exception {
        OwnerLeases leases = new OwnerLeases();
        for (int number = 0; number < OwnerLeases.MOST_LOST + 5; number++) {
            Owner owner = new Owner(name(), Side.LOCK, number);
            leases.add(owner, holdfast.lock(owner.name()).acquire(), false);
            assertThat(otherHoldfast.lock(owner.name()).forceUnlock()).isTrue();
        }
        Contract.await(() -> leases.size() == OwnerLeases.MOST_LOST);
    }

    @Test
    void aCanceledRequestLeavesTheQueue() {
        RLock lock = locks.getLock(name());
        others.getLock(lock.getName()).lock();
        RFuture<Void> waiting = lock.lockAsync(owner());
        Contract.await(() -> !holdfast.inspect(lock.getName()).waiters().isEmpty());
        assertThat(waiting.cancel(true)).isTrue();
        Contract.await(() -> holdfast.inspect(lock.getName()).waiters().isEmpty());
    }

    @Test
    void aGrantWhoseFutureIsCanceledMeanwhileIsReleased() throws Exception {
        OwnerLeases leases = new OwnerLeases();
        Owner owner = new Owner(name(), Side.LOCK, 1);
        CompletableFuture<Optional<Lease>> source = new CompletableFuture<>();
        AtomicReference<Future<Boolean>> future = new AtomicReference<>();
        future.set(Background.granted(
                source,
                grant -> {
                    leases.add(owner, grant.orElseThrow(), false);
                    return future.get().cancel(true);
                },
                grant -> leases.undo(owner, grant)));
        source.complete(Optional.of(holdfast.lock(owner.name()).acquire()));
        assertThat(future.get().isCancelled()).isTrue();
        assertThat(leases.size()).isZero();
        awaitFree(locks.getLock(owner.name()));
    }
}
