package io.holdfast;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;

/**
 * A lock at several independent servers, which is held when a majority of them has granted it; see {@link Holdfast#quorumLock}.
 *
 * <pre>{@code
 * QuorumLock lock = Holdfast.quorumLock("orders/42", List.of(one, two, three));
 * try (QuorumLease lease = lock.acquire()) {
 *     ship(42, lease.token());
 * }
 * }</pre>
 *
 * <p>It tolerates the failure of any minority of the servers, whether they are dead, slow, or cut off. Its promises and their
 * assumptions are part of the guarantees of Holdfast. They are those of a lock, except that exclusion rests on each server
 * keeping what it acknowledged.
 *
 * <p><strong>APIs.</strong> In the thread API, the current thread holds the lock, and may lock this object again. In the lease
 * API, a {@link QuorumLease} holds it. A thread and a lease are different owners.
 *
 * <p><strong>Every acquiring method</strong> asks all servers at once, each for at most the budget
 * ({@link QuorumOptions#budget}). It returns when a majority has granted the lock and confirmed its token. This costs two calls
 * to each server, and none if the current thread already holds the lock. The other servers are added to the hold when they
 * answer. If no majority grants the lock, all grants are released. Within the wait the servers are asked again after a random
 * pause, which grows to about half a second. When the time is up, they are asked once more. No waiter has a position in a
 * queue. If several callers try without waiting at the same moment, it is possible that none of them acquires the lock. A call
 * lasts at most its wait plus three budgets. A waiter continues to wait through an outage like that of a
 * {@link DistributedLock}.
 *
 * <p><strong>Missing servers</strong> are asked again every third of a lease. So a server that was down does not leave the hold
 * at a bare majority.
 *
 * <p><strong>Loss.</strong> The hold is lost when it is valid at fewer servers than a majority. The other servers stay held
 * until the owner releases the lock, because the owner may be at work. A thread that dies is treated as a crash, at most a
 * third of a lease later.
 *
 * <p>A quorum lock is safe for use by any thread. Keep the object between lock and unlock, because it knows what each thread
 * holds.
 */
public interface QuorumLock extends Lock {

    /** Returns the name, which is the same at all servers. */
    String name();

    /**
     * Returns the lock at each server, in the order in which the servers were given. An owner that locks one of them separately
     * is a rival.
     */
    List<DistributedLock> members();

    /** Returns the number of servers that a hold needs. */
    int majority();

    /**
     * Acquires the lock for the current thread, waiting for as long as it takes. An interrupt does not end the wait; the
     * interrupt status is then set when the method returns.
     *
     * @throws LeaseLostException if the current thread holds the lock and its hold was lost; unlock first
     * @throws IllegalStateException if so many clients are closed that no majority is left; if the current thread holds the
     *     lock and the lock is not reentrant; or if its hold has a lease of its own, which would now have to be renewed
     * @throws StoreUnavailableException if too few servers answered; nothing is acquired
     * @throws IndeterminateLockException if too few servers answered, and one of the others may have granted the lock; all
     *     grants are released in the background
     * @throws StoreRefusedException if too many servers refused the request
     */
    @Override
    void lock();

    /**
     * Acquires the lock like {@link #lock()}, for the given lease and without renewal. The lease begins when the servers are
     * asked.
     *
     * <p>If the current thread holds the lock for a lease of its own, the new level may move the end of the whole hold to a
     * later time. It stays there until the outermost level is unlocked.
     *
     * @param lease the lease, 100 ms to 365 days
     * @throws IllegalArgumentException if the lease is out of range
     * @see #lock() the other exceptions
     */
    void lock(Duration lease);

    /**
     * Acquires the lock for the current thread, waiting until it is acquired or the thread is interrupted.
     *
     * @throws InterruptedException if the current thread is interrupted on entry or while waiting; nothing is acquired
     * @see #lock() the other exceptions
     */
    @Override
    void lockInterruptibly() throws InterruptedException;

    /**
     * Acquires the lock if a majority is free now. Each server is asked once. The method is not interruptible, and preserves
     * the interrupt status.
     *
     * @return {@code true} if the current thread holds the lock now
     * @see #lock() the exceptions
     */
    @Override
    boolean tryLock();

    /**
     * Acquires the lock if a majority becomes free within the given time.
     *
     * @param wait the maximum time to wait; zero or less means not to wait
     * @return {@code true} if the current thread holds the lock now
     * @throws InterruptedException if the current thread is interrupted on entry or while waiting; nothing is acquired
     * @see #lock() the other exceptions
     */
    boolean tryLock(Duration wait) throws InterruptedException;

    /**
     * Acquires the lock if a majority becomes free within the wait, for the given lease and without renewal.
     *
     * @param wait the maximum time to wait; zero or less means not to wait
     * @param lease the lease, 100 ms to 365 days
     * @return {@code true} if the current thread holds the lock now
     * @throws InterruptedException if the current thread is interrupted on entry or while waiting; nothing is acquired
     * @see #lock(Duration) the other exceptions
     */
    boolean tryLock(Duration wait, Duration lease) throws InterruptedException;

    /** Acquires the lock like {@link #tryLock(Duration)}. */
    @Override
    default boolean tryLock(long wait, TimeUnit unit) throws InterruptedException {
        return tryLock(Duration.ofNanos(unit.toNanos(wait)));
    }

    /** Acquires the lock like {@link #tryLock(Duration, Duration)}. */
    default boolean tryLock(long wait, long lease, TimeUnit unit) throws InterruptedException {
        return tryLock(Duration.ofNanos(unit.toNanos(wait)), Duration.ofNanos(unit.toNanos(lease)));
    }

    /**
     * Ends the innermost level of the current thread's hold. Ending the outermost level releases the lock at all servers.
     *
     * <p>The method is not interruptible, and preserves the interrupt status. It waits for the answers for at most the budget.
     *
     * @throws LeaseLostException if a majority was lost before
     * @throws IllegalStateException if no majority of the clients is open, which released the hold
     * @throws IllegalMonitorStateException if the current thread does not hold this object; nothing is unlocked
     */
    @Override
    void unlock();

    /**
     * Throws {@link UnsupportedOperationException}.
     *
     * @throws UnsupportedOperationException always
     */
    @Override
    default Condition newCondition() {
        throw new UnsupportedOperationException(
                this + ": conditions are not supported; poll, or use a queue or a latch");
    }

    /** Returns how often the current thread has to unlock this object, even after the hold was lost. */
    int holdCount();

    /** Returns {@code true} if the current thread has to unlock this object, even after the hold was lost. */
    default boolean isHeldByCurrentThread() {
        return holdCount() > 0;
    }

    /**
     * Returns {@code true} if the current thread holds the lock and the hold is valid at a majority of the servers.
     *
     * <p>A hold at a server is not valid after it was lost, or while a clock step puts it in doubt.
     */
    boolean isValid();

    /** Returns the number of servers at which the current thread's hold is valid now; 0 if it has none. */
    int heldAt();

    /**
     * Returns the fencing token of the current thread's hold; see {@link QuorumLease#token}.
     *
     * @throws IllegalMonitorStateException if the current thread does not hold this object
     * @throws LeaseLostException if the hold is lost
     */
    long fencingToken();

    /**
     * Returns the time for which the current thread's hold stays valid at a majority if no server answers again. It is zero if
     * the hold was lost.
     *
     * @throws IllegalMonitorStateException if the current thread does not hold this object
     */
    Duration remainingLease();

    /**
     * Acquires a lease, waiting for as long as it takes.
     *
     * @throws InterruptedException if the current thread is interrupted on entry or while waiting; nothing is acquired
     * @see #lock() the other exceptions
     */
    QuorumLease acquire() throws InterruptedException;

    /**
     * Acquires a lease within the given time.
     *
     * @param wait the maximum time to wait; zero or less means not to wait
     * @throws LockTimeoutException if the time is up
     * @throws InterruptedException if the current thread is interrupted on entry or while waiting; nothing is acquired
     * @see #lock() the other exceptions
     */
    QuorumLease acquire(Duration wait) throws InterruptedException;

    /**
     * Acquires a lease if a majority is free now, like {@link #tryLock()}. Returns an empty result if others hold the lock at
     * too many servers.
     */
    Optional<QuorumLease> tryAcquire();

    /**
     * Acquires a lease if a majority becomes free within the given time. Otherwise, returns an empty result.
     *
     * @param wait the maximum time to wait; zero or less means not to wait
     * @throws InterruptedException if the current thread is interrupted on entry or while waiting; nothing is acquired
     * @see #lock() the other exceptions
     */
    Optional<QuorumLease> tryAcquire(Duration wait) throws InterruptedException;

    /**
     * Acquires a lease that is not renewed, if a majority becomes free within the wait. Otherwise, returns an empty result. The
     * lease begins when the servers are asked.
     *
     * @param wait the maximum time to wait; zero or less means not to wait
     * @param lease the lease, 100 ms to 365 days
     * @throws InterruptedException if the current thread is interrupted on entry or while waiting; nothing is acquired
     * @see #lock(Duration) the other exceptions
     */
    Optional<QuorumLease> tryAcquire(Duration wait, Duration lease) throws InterruptedException;

    /** Returns the asynchronous API of this lock, for leases. */
    AsyncQuorumLock async();
}
