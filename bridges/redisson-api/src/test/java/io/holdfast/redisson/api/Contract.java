package io.holdfast.redisson.api;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.StoreUnavailableException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.redisson.api.RCountDownLatch;
import org.redisson.api.RFencedLock;
import org.redisson.api.RFuture;
import org.redisson.api.RLock;
import org.redisson.api.RPermitExpirableSemaphore;
import org.redisson.api.RReadWriteLock;
import org.redisson.api.RSemaphore;
import org.redisson.api.RedissonClient;

/** The behavior that Redisson and the bridge have in common. Each test runs with the real Redisson and with the bridge. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class Contract {

    static final long BRIEF = 300;

    private static final AtomicInteger NAMES = new AtomicInteger();
    private static final AtomicInteger OWNERS = new AtomicInteger(1_000_000);

    private final ExecutorService threads = Executors.newCachedThreadPool();

    abstract RedissonClient client();

    @AfterAll
    void stopThreads() {
        threads.shutdownNow();
    }

    static String name() {
        return "name-" + NAMES.incrementAndGet();
    }

    /** Returns an owner that is no thread. */
    static long owner() {
        return OWNERS.incrementAndGet();
    }

    <T> T elsewhere(Callable<T> call) throws Exception {
        return result(threads.submit(call));
    }

    <T> Future<T> start(Callable<T> call) {
        return threads.submit(call);
    }

    static <T> T result(Future<T> future) throws Exception {
        return future.get(20, SECONDS);
    }

    private RLock lock() {
        return client().getLock(name());
    }

    /** Asks on a new thread, because a thread of the pool may still count as the holder of a lock that it has lost. */
    private static boolean isFree(RLock lock) {
        FutureTask<Boolean> question = new FutureTask<>(() -> {
            boolean acquired = lock.tryLock();
            if (acquired) {
                lock.unlock();
            }
            return acquired;
        });
        new Thread(question, "asks").start();
        try {
            return result(question);
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    static void await(BooleanSupplier condition) {
        long deadline = System.nanoTime() + SECONDS.toNanos(20);
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime()).as("time").isLessThan(deadline);
            LockSupport.parkNanos(MILLISECONDS.toNanos(5));
        }
    }

    static void awaitFree(RLock lock) {
        await(() -> !lock.isLocked());
    }

    private interface Interruptible {
        void run() throws InterruptedException;
    }

    /** Acquires with a brief lease. If the answer takes longer than the lease, that fails, and is repeated. */
    private static <T> T briefly(Callable<T> request) throws Exception {
        for (int i = 0; ; i++) {
            try {
                T acquired = request.call();
                assertThat(acquired).isNotEqualTo(false);
                return acquired;
            } catch (Exception e) {
                boolean tooSlow =
                        e instanceof StoreUnavailableException || e.getCause() instanceof StoreUnavailableException;
                if (!tooSlow || i == 10) {
                    throw e;
                }
            }
        }
    }

    // ---- locks, blocking

    @Test
    void aLockExcludesOtherThreadsUntilItsLastLevelEnds() throws Exception {
        RLock lock = lock();
        lock.lock();
        lock.lock();
        assertThat(lock.getHoldCount()).isEqualTo(2);
        lock.unlock();
        assertThat(isFree(lock)).isFalse();
        assertThat(lock.isLocked()).isTrue();
        assertThat(lock.isHeldByCurrentThread()).isTrue();
        assertThat(lock.isHeldByThread(Thread.currentThread().getId())).isTrue();
        lock.unlock();
        assertThat(lock.getHoldCount()).isZero();
        assertThat(lock.isHeldByCurrentThread()).isFalse();
        assertThat(isFree(lock)).isTrue();
    }

    @Test
    void theNameIsTheLock() throws Exception {
        String name = name();
        client().getLock(name).lock();
        assertThat(client().getLock(name).getName()).isEqualTo(name);
        assertThat(isFree(client().getLock(name))).isFalse();
        assertThat(isFree(client().getFairLock(name))).isFalse();
        client().getLock(name).unlock();
        assertThat(isFree(client().getFairLock(name))).isTrue();
    }

    @Test
    void aThreadThatDoesNotHoldTheLockCannotUnlockIt() throws Exception {
        RLock lock = lock();
        assertThatThrownBy(lock::unlock).isInstanceOf(IllegalMonitorStateException.class);
        lock.lock();
        elsewhere(() -> assertThatThrownBy(lock::unlock).isInstanceOf(IllegalMonitorStateException.class));
        lock.unlock();
    }

    @Test
    void aTryWaitsForItsTime() throws Exception {
        RLock lock = lock();
        lock.lock();
        assertThat(elsewhere(() -> lock.tryLock(BRIEF, MILLISECONDS))).isFalse();
        Future<Boolean> waiting = start(() -> lock.tryLock(20, SECONDS));
        Thread.sleep(BRIEF);
        lock.unlock();
        assertThat(result(waiting)).isTrue();
        assertThat(lock.forceUnlock()).isTrue();
    }

    @Test
    void aFixedLeaseEnds() throws Exception {
        RLock lock = lock();
        briefly(() -> {
            lock.lock(BRIEF, MILLISECONDS);
            return true;
        });
        assertThat(lock.remainTimeToLive()).isLessThanOrEqualTo(BRIEF);
        awaitFree(lock);
        assertThat(isFree(lock)).isTrue();
        assertThatThrownBy(lock::unlock).isInstanceOf(IllegalMonitorStateException.class);
    }

    @Test
    void aTryWithAFixedLeaseEnds() throws Exception {
        RLock lock = lock();
        briefly(() -> lock.tryLock(20_000, BRIEF, MILLISECONDS));
        assertThat(elsewhere(() -> lock.tryLock(20_000, 20_000, MILLISECONDS))).isTrue();
        assertThatThrownBy(lock::unlock).isInstanceOf(IllegalMonitorStateException.class);
        lock.forceUnlock();
    }

    @Test
    void aLeaseOfZeroOrLessIsRenewed() throws Exception {
        RLock lock = lock();
        lock.lock(-1, SECONDS);
        assertThat(lock.remainTimeToLive()).isBetween(20_000L, 30_000L);
        lock.unlock();
        lock.lock(0, SECONDS);
        assertThat(lock.remainTimeToLive()).isBetween(20_000L, 30_000L);
        lock.unlock();
        assertThat(lock.tryLock(20, -1, SECONDS)).isTrue();
        assertThat(lock.remainTimeToLive()).isBetween(20_000L, 30_000L);
        lock.unlock();
    }

    @Test
    void aThreadWhoseLeaseHasEndedLocksAnew() throws Exception {
        RLock lock = lock();
        briefly(() -> lock.tryLock(20_000, BRIEF, MILLISECONDS));
        awaitFree(lock);
        assertThat(lock.tryLock(0, 20_000, MILLISECONDS)).isTrue();
        assertThat(lock.getHoldCount()).isEqualTo(1);
        lock.unlock();
        assertThat(isFree(lock)).isTrue();
        assertThatThrownBy(lock::unlock).isInstanceOf(IllegalMonitorStateException.class);
    }

    @Test
    void aForcedUnlockFreesTheLockOfAnotherThread() throws Exception {
        RLock lock = lock();
        assertThat(lock.forceUnlock()).isFalse();
        elsewhere(() -> {
            lock.lock();
            return true;
        });
        assertThat(lock.forceUnlock()).isTrue();
        assertThat(lock.isLocked()).isFalse();
        // the client of the former owner is notified a moment later
        await(() -> isFree(lock));
    }

    @Test
    void theTimeToLiveOfAFreeLockIsMinusTwo() {
        assertThat(lock().remainTimeToLive()).isEqualTo(-2);
    }

    @Test
    void anInterruptEndsTheWait() throws Exception {
        RLock lock = lock();
        lock.lock();
        AtomicInteger begun = new AtomicInteger();
        AtomicInteger ended = new AtomicInteger();
        List<Future<Boolean>> waiting = Stream.<Interruptible>of(
                        lock::lockInterruptibly, () -> lock.lockInterruptibly(20, SECONDS))
                .map(call -> start(() -> {
                    begun.incrementAndGet();
                    try {
                        call.run();
                        return true;
                    } finally {
                        ended.incrementAndGet();
                    }
                }))
                .toList();
        await(() -> begun.get() == 2);
        Thread.sleep(BRIEF);
        waiting.forEach(each -> each.cancel(true));
        await(() -> ended.get() == 2);
        lock.unlock();
        Thread.sleep(BRIEF);
        assertThat(lock.isLocked()).isFalse();
    }

    @Test
    void aLockThatIsInterruptibleIsAcquired() throws Exception {
        RLock lock = lock();
        lock.lockInterruptibly();
        lock.lockInterruptibly(20, SECONDS);
        assertThat(lock.getHoldCount()).isEqualTo(2);
        lock.unlock();
        lock.unlock();
        assertThat(isFree(lock)).isTrue();
    }

    @Test
    void thereAreNoConditions() {
        assertThatThrownBy(lock()::newCondition).isInstanceOf(UnsupportedOperationException.class);
    }

    // ---- locks, asynchronous

    @Test
    void anOwnerIsANumber() throws Exception {
        RLock lock = lock();
        long owner = owner();
        result(lock.lockAsync(owner));
        assertThat(lock.isHeldByThread(owner)).isTrue();
        assertThat(result(lock.isHeldByThreadAsync(owner))).isTrue();
        assertThat(lock.isHeldByCurrentThread()).isFalse();
        assertThat(result(lock.isLockedAsync())).isTrue();
        assertThat(result(lock.remainTimeToLiveAsync())).isBetween(20_000L, 30_000L);
        assertThat(result(lock.tryLockAsync(owner()))).isFalse();
        assertThat(isFree(lock)).isFalse();
        result(elsewhere(() -> lock.unlockAsync(owner)));
        assertThat(isFree(lock)).isTrue();
        assertThat(lock.isHeldByThread(owner)).isFalse();
    }

    @Test
    void anOwnerLocksAgain() throws Exception {
        RLock lock = lock();
        long owner = owner();
        assertThat(result(lock.tryLockAsync(owner))).isTrue();
        result(lock.lockAsync(owner));
        assertThat(result(lock.tryLockAsync(20, -1, SECONDS, owner))).isTrue();
        result(lock.unlockAsync(owner));
        result(lock.unlockAsync(owner));
        assertThat(isFree(lock)).isFalse();
        result(lock.unlockAsync(owner));
        assertThat(isFree(lock)).isTrue();
    }

    @Test
    void anOwnerThatDoesNotHoldTheLockCannotUnlockIt() throws Exception {
        RLock lock = lock();
        result(lock.lockAsync(owner()));
        assertThatThrownBy(() -> result(lock.unlockAsync(owner())))
                .isInstanceOf(ExecutionException.class)
                .hasCauseInstanceOf(IllegalMonitorStateException.class);
        assertThatThrownBy(() -> result(lock.unlockAsync()))
                .isInstanceOf(ExecutionException.class)
                .hasCauseInstanceOf(IllegalMonitorStateException.class);
        assertThat(result(lock.forceUnlockAsync())).isTrue();
    }

    @Test
    void theCallingThreadOwnsWhatItLocksAsynchronously() throws Exception {
        RLock lock = lock();
        result(lock.lockAsync());
        assertThat(lock.isHeldByCurrentThread()).isTrue();
        lock.lock();
        assertThat(lock.getHoldCount()).isEqualTo(2);
        assertThat(result(lock.getHoldCountAsync())).isEqualTo(2);
        lock.unlock();
        lock.unlock();
        assertThat(isFree(lock)).isTrue();
    }

    @Test
    void aThreadLocksAgainAsynchronously() throws Exception {
        RLock lock = lock();
        lock.lock();
        result(lock.lockAsync());
        assertThat(result(lock.tryLockAsync(20, 20, SECONDS))).isTrue();
        result(lock.unlockAsync());
        result(lock.unlockAsync());
        assertThat(isFree(lock)).isFalse();
        result(lock.unlockAsync());
        assertThat(isFree(lock)).isTrue();
    }

    @Test
    void anAsynchronousTryWaitsForItsTime() throws Exception {
        RLock lock = lock();
        lock.lock();
        assertThat(result(lock.tryLockAsync(BRIEF, 20_000, MILLISECONDS, owner())))
                .isFalse();
        long owner = owner();
        RFuture<Boolean> waiting = lock.tryLockAsync(20, 20, SECONDS, owner);
        Thread.sleep(BRIEF);
        assertThat(waiting.isDone()).isFalse();
        lock.unlock();
        assertThat(result(waiting)).isTrue();
        result(lock.unlockAsync(owner));
    }

    @Test
    void anAsynchronousFixedLeaseEnds() throws Exception {
        RLock lock = lock();
        long owner = owner();
        lockBriefly(lock, owner);
        awaitFree(lock);
        assertThatThrownBy(() -> result(lock.unlockAsync(owner)))
                .hasCauseInstanceOf(IllegalMonitorStateException.class);
        lockBriefly(lock, owner);
        awaitFree(lock);
        result(lock.lockAsync(20, SECONDS, owner));
        result(lock.unlockAsync(owner));
        assertThat(isFree(lock)).isTrue();
    }

    private static void lockBriefly(RLock lock, long owner) throws Exception {
        briefly(() -> {
            result(lock.lockAsync(BRIEF, MILLISECONDS, owner));
            return true;
        });
    }

    @Test
    void aCanceledRequestAcquiresNothing() throws Exception {
        RLock lock = lock();
        lock.lock();
        RFuture<Void> waiting = lock.lockAsync(owner());
        Thread.sleep(BRIEF);
        assertThat(waiting.cancel(true)).isTrue();
        lock.unlock();
        Thread.sleep(BRIEF);
        awaitFree(lock);
        assertThat(isFree(lock)).isTrue();
    }

    // ---- kinds of locks

    @Test
    void readersShareTheLockAndAWriterExcludesThem() throws Exception {
        RReadWriteLock lock = client().getReadWriteLock(name());
        lock.readLock().lock();
        assertThat(isFree(lock.readLock())).isTrue();
        assertThat(isFree(lock.writeLock())).isFalse();
        assertThat(lock.readLock().isLocked()).isTrue();
        assertThat(lock.writeLock().isLocked()).isFalse();
        assertThat(lock.writeLock().forceUnlock()).isFalse();
        lock.readLock().unlock();
        lock.writeLock().lock();
        assertThat(isFree(lock.readLock())).isFalse();
        assertThat(lock.readLock().isLocked()).isFalse();
        assertThat(lock.writeLock().isLocked()).isTrue();
        assertThat(lock.readLock().forceUnlock()).isFalse();
        lock.writeLock().unlock();
        assertThat(isFree(lock.writeLock())).isTrue();
    }

    @Test
    void aWriterMayRead() throws Exception {
        RReadWriteLock lock = client().getReadWriteLock(name());
        lock.writeLock().lock();
        lock.readLock().lock();
        lock.writeLock().unlock();
        assertThat(isFree(lock.readLock())).isTrue();
        assertThat(isFree(lock.writeLock())).isFalse();
        lock.readLock().unlock();
        assertThat(isFree(lock.writeLock())).isTrue();
    }

    @Test
    void ownersReadAsynchronously() throws Exception {
        RReadWriteLock lock = client().getReadWriteLock(name());
        long one = owner();
        long other = owner();
        result(lock.readLock().lockAsync(one));
        result(lock.readLock().lockAsync(other));
        assertThat(result(lock.writeLock().tryLockAsync(owner()))).isFalse();
        result(lock.readLock().unlockAsync(one));
        result(lock.readLock().unlockAsync(other));
        assertThat(isFree(lock.writeLock())).isTrue();
    }

    @Test
    void spinLocksAndFairLocksAreReentrant() throws Exception {
        for (RLock lock : new RLock[] {client().getSpinLock(name()), client().getFairLock(name())}) {
            lock.lock();
            assertThat(lock.tryLock()).isTrue();
            lock.unlock();
            assertThat(isFree(lock)).isFalse();
            lock.unlock();
            assertThat(isFree(lock)).isTrue();
        }
    }

    @Test
    void aNonReentrantLockRefusesItsHolder() throws Exception {
        for (RLock lock :
                new RLock[] {client().getNonReentrantLock(name()), client().getNonReentrantFairLock(name())}) {
            lock.lock();
            assertThatThrownBy(lock::lock).isInstanceOf(RuntimeException.class);
            lock.unlock();
            result(lock.lockAsync());
            assertThatThrownBy(lock::tryLock).isInstanceOf(RuntimeException.class);
            lock.unlock();
            assertThat(isFree(lock)).isTrue();
        }
    }

    @Test
    void fencingTokensRise() throws Exception {
        RFencedLock lock = client().getFencedLock(name());
        long first = lock.lockAndGetToken();
        assertThat(lock.getToken()).isEqualTo(first);
        lock.unlock();
        long second = lock.tryLockAndGetToken(20, 20, SECONDS);
        lock.unlock();
        long third = result(lock.lockAndGetTokenAsync());
        result(lock.unlockAsync());
        long fourth = result(lock.tryLockAndGetTokenAsync(20, 20, SECONDS));
        lock.unlock();
        assertThat(first).isLessThan(second);
        assertThat(second).isLessThan(third);
        assertThat(third).isLessThan(fourth);
    }

    @Test
    void aMultiLockAcquiresAllOrNothing() throws Exception {
        RLock one = lock();
        RLock other = lock();
        RLock both = client().getMultiLock(one, other);
        both.lock();
        assertThat(one.isHeldByCurrentThread() && other.isHeldByCurrentThread()).isTrue();
        both.unlock();
        other.lock();
        assertThat(elsewhere(() -> client().getMultiLock(one, other).tryLock(BRIEF, MILLISECONDS)))
                .isFalse();
        assertThat(isFree(one)).isTrue();
        other.unlock();
        assertThat(both.tryLock(20, 20, SECONDS)).isTrue();
        both.unlock();
        assertThat(isFree(one) && isFree(other)).isTrue();
        assertThatThrownBy(both::isLocked).isInstanceOf(UnsupportedOperationException.class);
    }

    // ---- semaphores

    @Test
    void aSemaphoreCountsItsPermits() throws Exception {
        RSemaphore semaphore = client().getSemaphore(name());
        assertThat(semaphore.isExists()).isFalse();
        assertThat(semaphore.trySetPermits(4)).isTrue();
        assertThat(semaphore.trySetPermits(5)).isFalse();
        semaphore.acquire();
        semaphore.acquire(2);
        assertThat(semaphore.availablePermits()).isEqualTo(1);
        assertThat(semaphore.tryAcquire(2)).isFalse();
        assertThat(semaphore.tryAcquire()).isTrue();
        assertThat(semaphore.tryAcquire(Duration.ofMillis(BRIEF))).isFalse();
        elsewhere(() -> {
            semaphore.release();
            semaphore.release(3);
            return true;
        });
        assertThat(semaphore.availablePermits()).isEqualTo(4);
        semaphore.addPermits(2);
        assertThat(semaphore.availablePermits()).isEqualTo(6);
        assertThat(semaphore.drainPermits()).isEqualTo(6);
        assertThat(semaphore.availablePermits()).isZero();
        assertThat(semaphore.releaseIfExists(6)).isTrue();
        assertThat(semaphore.availablePermits()).isEqualTo(6);
        assertThat(semaphore.delete()).isTrue();
        assertThat(semaphore.releaseIfExists(1)).isFalse();
    }

    @Test
    void aReleaseWakesAWaiter() throws Exception {
        RSemaphore semaphore = client().getSemaphore(name());
        semaphore.trySetPermits(1);
        semaphore.acquire();
        Future<Boolean> waiting = start(() -> semaphore.tryAcquire(Duration.ofSeconds(20)));
        RFuture<Void> async = semaphore.acquireAsync();
        Thread.sleep(BRIEF);
        semaphore.release();
        await(() -> waiting.isDone() || async.isDone());
        semaphore.release();
        assertThat(result(waiting)).isTrue();
        result(async);
        semaphore.release();
        assertThat(semaphore.availablePermits()).isEqualTo(1);
    }

    @Test
    void aSemaphoreIsUsedAsynchronously() throws Exception {
        RSemaphore semaphore = client().getSemaphore(name());
        assertThat(result(semaphore.trySetPermitsAsync(3))).isTrue();
        assertThat(result(semaphore.tryAcquireAsync(2))).isTrue();
        assertThat(result(semaphore.tryAcquireAsync(2))).isFalse();
        assertThat(result(semaphore.availablePermitsAsync())).isEqualTo(1);
        assertThat(result(semaphore.drainPermitsAsync())).isEqualTo(1);
        result(semaphore.releaseAsync(3));
        result(semaphore.addPermitsAsync(1));
        assertThat(result(semaphore.availablePermitsAsync())).isEqualTo(4);
    }

    @Test
    void aPermitIsReleasedByItsId() throws Exception {
        RPermitExpirableSemaphore semaphore = client().getPermitExpirableSemaphore(name());
        assertThat(semaphore.trySetPermits(2)).isTrue();
        String one = semaphore.acquire();
        String other = semaphore.tryAcquire(20, 20, SECONDS);
        assertThat(one).isNotEqualTo(other);
        assertThat(semaphore.tryAcquire()).isNull();
        assertThat(semaphore.tryAcquire(BRIEF, MILLISECONDS)).isNull();
        assertThat(semaphore.getPermits()).isEqualTo(2);
        assertThat(semaphore.acquiredPermits()).isEqualTo(2);
        assertThat(semaphore.availablePermits()).isZero();
        elsewhere(() -> {
            semaphore.release(one);
            return true;
        });
        assertThat(semaphore.availablePermits()).isEqualTo(1);
        assertThat(semaphore.tryRelease(one)).isFalse();
        assertThatThrownBy(() -> semaphore.release(one)).isInstanceOf(RuntimeException.class);
        assertThat(semaphore.tryRelease(other)).isTrue();
        semaphore.setPermits(5);
        semaphore.addPermits(1);
        assertThat(semaphore.availablePermits()).isEqualTo(6);
    }

    @Test
    void aPermitWithALeaseEnds() throws Exception {
        RPermitExpirableSemaphore semaphore = client().getPermitExpirableSemaphore(name());
        semaphore.trySetPermits(1);
        String brief = briefly(() -> semaphore.acquire(BRIEF, MILLISECONDS));
        String next = semaphore.acquire();
        assertThat(semaphore.tryRelease(brief)).isFalse();
        assertThat(semaphore.availablePermits()).isZero();
        semaphore.release(next);
        String longer = semaphore.acquire(10, SECONDS);
        assertThat(semaphore.updateLeaseTime(longer, 20, SECONDS)).isTrue();
        assertThat(semaphore.getLeaseTime(longer)).isBetween(15_000L, 20_000L);
        assertThat(semaphore.tryRelease(longer)).isTrue();
        assertThat(semaphore.updateLeaseTime(longer, 20, SECONDS)).isFalse();
    }

    @Test
    void permitsAreAcquiredAsynchronously() throws Exception {
        RPermitExpirableSemaphore semaphore = client().getPermitExpirableSemaphore(name());
        assertThat(result(semaphore.trySetPermitsAsync(2))).isTrue();
        String one = result(semaphore.acquireAsync());
        String other = result(semaphore.tryAcquireAsync(20, 20, SECONDS));
        result(semaphore.releaseAsync(one));
        assertThat(result(semaphore.tryReleaseAsync(other))).isTrue();
        assertThat(result(semaphore.tryReleaseAsync(other))).isFalse();
        assertThat(result(semaphore.availablePermitsAsync())).isEqualTo(2);
    }

    // ---- latches

    @Test
    void aLatchOpensAtZero() throws Exception {
        RCountDownLatch latch = client().getCountDownLatch(name());
        assertThat(latch.trySetCount(2)).isTrue();
        assertThat(latch.trySetCount(3)).isFalse();
        assertThat(latch.getCount()).isEqualTo(2);
        Future<Boolean> waiting = start(() -> latch.await(20, SECONDS));
        RFuture<Void> async = latch.awaitAsync();
        assertThat(result(latch.awaitAsync(BRIEF, MILLISECONDS))).isFalse();
        assertThat(latch.await(BRIEF, MILLISECONDS)).isFalse();
        latch.countDown();
        assertThat(async.isDone()).isFalse();
        result(latch.countDownAsync());
        assertThat(result(waiting)).isTrue();
        result(async);
        latch.await();
        assertThat(result(latch.getCountAsync())).isZero();
        latch.countDown();
        assertThat(latch.isExists()).isFalse();
    }

    @Test
    void anOpenLatchIsSetAgain() throws Exception {
        RCountDownLatch latch = client().getCountDownLatch(name());
        assertThat(latch.trySetCount(1)).isTrue();
        latch.countDown();
        assertThat(latch.trySetCount(2)).isTrue();
        assertThat(latch.trySetCount(3)).isFalse();
        assertThat(latch.getCount()).isEqualTo(2);
        assertThat(latch.await(BRIEF, MILLISECONDS)).isFalse();
        assertThat(latch.delete()).isTrue();
        assertThat(latch.delete()).isFalse();
    }

    @Test
    void aLatchThatIsNotSetIsOpen() throws Exception {
        RCountDownLatch latch = client().getCountDownLatch(name());
        latch.countDown();
        latch.await();
        assertThat(latch.await(20, SECONDS)).isTrue();
        result(latch.awaitAsync());
        assertThat(latch.getCount()).isZero();
        assertThat(latch.trySetCount(1)).isTrue();
    }
}
