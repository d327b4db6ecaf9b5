package io.holdfast.recipes;

import io.holdfast.AsyncLock;
import io.holdfast.DistributedLock;
import io.holdfast.IndeterminateLockException;
import io.holdfast.LeaseLostException;
import io.holdfast.LockTimeoutException;
import io.holdfast.StoreRefusedException;
import io.holdfast.StoreUnavailableException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;

/**
 * A lock that is composed of member locks. A {@link MultiLock} needs all members, and a {@link QuorumLock} a majority of them.
 *
 * <p>It has the two APIs of a {@link DistributedLock}. In the thread API, the current thread holds the lock, and may lock this
 * object again. In the lease API, a lease of the type {@code L} holds it. A thread and a lease are different owners.
 *
 * <p>The hold is lost when it is no longer valid at the members that it needs. A multi-lock then keeps its other members until
 * the owner releases the lock, because the owner may be at work. A quorum lock releases them.
 *
 * <p>A composite lock is safe for use by any thread. Keep the object between lock and unlock, because it counts the levels of
 * each thread.
 *
 * @param <L> the type of the leases
 */
public interface CompositeLock<L> extends Lock {

    /** Returns the members, in the order that the type of the lock defines. */
    List<DistributedLock> members();

    /**
     * Acquires the lock for the current thread, waiting for as long as it takes. An interrupt does not end the wait; the
     * interrupt status is then set when the method returns.
     *
     * @throws LeaseLostException if the current thread holds the lock or a member that the lock needs, and that hold was lost;
     *     unlock first
     * @throws IllegalStateException if the clients of members that the lock needs are closed; or if the current thread would
     *     wait for itself, or may not lock again
     * @throws StoreUnavailableException if stores that the lock needs did not answer, or if their answers took longer than the
     *     lease; nothing is acquired
     * @throws IndeterminateLockException if stores that the lock needs did not answer, and a member may have been granted; every
     *     grant is released in the background
     * @throws StoreRefusedException if stores that the lock needs refused the request
     */
    @Override
    void lock();

    /**
     * Acquires the lock like {@link #lock()}, for the given lease and without renewal.
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
     * Acquires the lock if it is free now, or held by the current thread. The method is not interruptible, and preserves the
     * interrupt status.
     *
     * @return {@code true} if the current thread holds the lock now; {@code false} if this call acquired nothing
     * @see #lock() the exceptions
     */
    @Override
    boolean tryLock();

    /**
     * Acquires the lock if it becomes free within the given time.
     *
     * @param wait the maximum time to wait for all members together; zero or less means not to wait
     * @return {@code true} if the lock was acquired; {@code false} if this call acquired nothing
     * @throws InterruptedException if the current thread is interrupted on entry or while waiting; nothing is acquired
     * @see #lock() the other exceptions
     */
    boolean tryLock(Duration wait) throws InterruptedException;

    /**
     * Acquires the lock if it becomes free within the wait, for the given lease and without renewal.
     *
     * @param wait the maximum time to wait for all members together; zero or less means not to wait
     * @param lease the lease, 100 ms to 365 days
     * @return {@code true} if the lock was acquired; {@code false} if this call acquired nothing
     * @throws InterruptedException if the current thread is interrupted on entry or while waiting; nothing is acquired
     * @see #lock(Duration) the other exceptions
     */
    boolean tryLock(Duration wait, Duration lease) throws InterruptedException;

    /**
     * Acquires the lock like {@link #tryLock(Duration)}.
     *
     * @param wait the maximum time to wait for all members together, in the given unit; zero or less means not to wait
     * @return {@code true} if the lock was acquired; {@code false} if this call acquired nothing
     * @throws InterruptedException if the current thread is interrupted on entry or while waiting; nothing is acquired
     * @see #tryLock(Duration) the other exceptions
     */
    @Override
    default boolean tryLock(long wait, TimeUnit unit) throws InterruptedException {
        return tryLock(Duration.ofNanos(unit.toNanos(wait)));
    }

    /**
     * Acquires the lock like {@link #tryLock(Duration, Duration)}.
     *
     * @param wait the maximum time to wait for all members together, in the given unit; zero or less means not to wait
     * @param lease the lease in the given unit, 100 ms to 365 days
     * @return {@code true} if the lock was acquired; {@code false} if this call acquired nothing
     * @throws IllegalArgumentException if the lease is out of range
     * @throws InterruptedException if the current thread is interrupted on entry or while waiting; nothing is acquired
     * @see #tryLock(Duration, Duration) the other exceptions
     */
    default boolean tryLock(long wait, long lease, TimeUnit unit) throws InterruptedException {
        return tryLock(Duration.ofNanos(unit.toNanos(wait)), Duration.ofNanos(unit.toNanos(lease)));
    }

    /**
     * Ends the innermost level of the current thread's hold. Ending the outermost level releases every member, even if the
     * release of another member throws.
     *
     * <p>The method is not interruptible, and preserves the interrupt status. It waits for the answers of the stores for a
     * limited time. If an answer does not arrive, it logs a warning, and the release continues in the background.
     *
     * @throws LeaseLostException if the hold was lost before
     * @throws IllegalMonitorStateException if the current thread does not hold this object; nothing is unlocked
     * @throws IllegalStateException if clients were closed, which released their members
     */
    @Override
    void unlock();

    /**
     * Throws {@link UnsupportedOperationException}, as the members do.
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
     * Returns {@code true} if the current thread holds this object, and the hold is valid at the members that it needs.
     *
     * <p>A member is not valid after it was lost, or while a clock step puts it in doubt.
     */
    boolean isValid();

    /**
     * Returns the time for which the current thread's hold stays valid if no store answers again. It is zero if the hold was
     * lost.
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
    L acquire() throws InterruptedException;

    /**
     * Acquires a lease within the given time.
     *
     * @param wait the maximum time to wait for all members together; zero or less means not to wait
     * @throws LockTimeoutException if the time is up
     * @throws InterruptedException if the current thread is interrupted on entry or while waiting; nothing is acquired
     * @see #lock() the other exceptions
     */
    L acquire(Duration wait) throws InterruptedException;

    /**
     * Acquires a lease if the lock is free now, like {@link #tryLock()}. Returns an empty result if the lock is held. The
     * method is not interruptible, and preserves the interrupt status.
     *
     * @see #lock() the exceptions
     */
    Optional<L> tryAcquire();

    /**
     * Acquires a lease if the lock becomes free within the given time. Otherwise, returns an empty result.
     *
     * @param wait the maximum time to wait for all members together; zero or less means not to wait
     * @throws InterruptedException if the current thread is interrupted on entry or while waiting; nothing is acquired
     * @see #lock() the other exceptions
     */
    Optional<L> tryAcquire(Duration wait) throws InterruptedException;

    /**
     * Acquires a lease that is not renewed, if the lock becomes free within the wait. Otherwise, returns an empty result.
     *
     * @param wait the maximum time to wait for all members together; zero or less means not to wait
     * @param lease the lease, 100 ms to 365 days
     * @throws InterruptedException if the current thread is interrupted on entry or while waiting; nothing is acquired
     * @see #lock(Duration) the other exceptions
     */
    Optional<L> tryAcquire(Duration wait, Duration lease) throws InterruptedException;

    /** Returns the asynchronous API of this lock, for leases. */
    AsyncLock<L> async();
}
