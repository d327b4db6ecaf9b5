package io.holdfast;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;

/**
 * A lock that acquires several locks of any stores, all or none of them; see {@link Holdfast#multiLock}.
 *
 * <pre>{@code
 * MultiLock both = Holdfast.multiLock(from, to);
 * try (MultiLease lease = both.acquire()) {
 *     transfer(lease.token(from), lease.token(to));
 * }
 * }</pre>
 *
 * <p>It has the two APIs of a {@link DistributedLock}. In the thread API, the current thread holds each member. It may lock a
 * member again separately, and asks it for its {@link DistributedLock#fencingToken}. In the lease API, a {@link MultiLease} has
 * the tokens.
 *
 * <p><strong>Order.</strong> The members are acquired one after the other, in the order of their names in the store. If the
 * names are the same, the order is that of the store addresses. The order in which they were given has no effect. So
 * multi-locks never wait for each other in a circle. This requires the same order in every process. A process that has one name
 * in two stores must use the same URIs for them as all other processes. A thread that also locks members one by one must keep
 * to the order of {@link #members}.
 *
 * <p><strong>All or nothing.</strong> There is one wait for all members. The acquired members are released before the call ends
 * if the time is up, the thread is interrupted, the future is canceled, or a member fails. When the last member is acquired,
 * all members are checked once more. If a member is no longer valid because its lease has ended, all members are released, and
 * acquired again within the wait. Suppose that this fails repeatedly although no other owner held a member. Then the answers of
 * the stores take longer than the lease, and the call throws {@link StoreUnavailableException}, even if it has no time limit.
 *
 * <p><strong>Every acquiring method</strong> acquires each member like the method of that name of {@link DistributedLock}. It
 * makes one store call for each member that is free, and none for a member that the current thread holds. It waits for a member
 * that another owner holds. Its exceptions name the member. A call lasts at most its wait plus one command timeout. For each
 * member that is released at a store that does not answer, one more command timeout is added.
 *
 * <p><strong>Batches.</strong> Members that follow each other in the order are acquired by one store call if all of these
 * conditions are met: they are locks of one client, they are not fair, no owner in this process holds or awaits them, and the
 * store supports it. Memory stores support it, and so does Redis without {@code interop=redisson}. One store call acquires at
 * most 64 members. If another owner holds one of them, the call acquires none. A method that does not wait then ends, and the
 * other methods continue as described above. While such a call is under way, a try in this process finds its members held, even
 * if the call then acquires none.
 *
 * <p><strong>Loss.</strong> The hold is valid as long as all members are. If one member is lost, the others stay held until the
 * owner releases them, because the owner may be at work.
 *
 * <p>A multi-lock is safe for use by any thread. Keep the object between lock and unlock, because it counts the levels of each
 * thread.
 */
public interface MultiLock extends Lock {

    /** Returns the members, in the order in which they are acquired. */
    List<DistributedLock> members();

    /**
     * Acquires all members for the current thread, waiting for as long as it takes. An interrupt does not end the wait; the
     * interrupt status is then set when the method returns.
     *
     * @throws LeaseLostException if the current thread holds a member and its hold was lost; unlock first
     * @throws IllegalStateException if the client of a member is closed, or if the current thread holds an open {@link Lease}
     *     of a member, because it would wait for itself
     * @throws StoreUnavailableException if a store did not answer, or if the answers of the stores together take longer than a
     *     lease; nothing is acquired
     * @throws IndeterminateLockException if it is not known whether a store granted a member; all members are released in the
     *     background
     * @throws StoreRefusedException if a store refused the request
     */
    @Override
    void lock();

    /**
     * Acquires all members like {@link #lock()}, without renewal. The lease of each member begins when that member is acquired.
     *
     * @param lease the lease of each member, 100 ms to 365 days; the hold ends when the first of them ends
     * @throws IllegalArgumentException if the lease is out of range
     * @see #lock() the other exceptions
     */
    void lock(Duration lease);

    /**
     * Acquires all members for the current thread, waiting until they are acquired or the thread is interrupted.
     *
     * @throws InterruptedException if the current thread is interrupted on entry or while waiting; nothing is acquired
     * @see #lock() the other exceptions
     */
    @Override
    void lockInterruptibly() throws InterruptedException;

    /**
     * Acquires all members only if each is free now or held by the current thread. The method is not interruptible, and
     * preserves the interrupt status.
     *
     * @return {@code true} if the current thread holds all members now; {@code false} if this call acquired none
     * @see #lock() the exceptions
     */
    @Override
    boolean tryLock();

    /**
     * Acquires all members if they become free within the given time.
     *
     * @param wait the maximum time to wait for all members together; zero or less means not to wait
     * @return {@code true} if all members were acquired; {@code false} if this call acquired none
     * @throws InterruptedException if the current thread is interrupted on entry or while waiting; nothing is acquired
     * @see #lock() the other exceptions
     */
    boolean tryLock(Duration wait) throws InterruptedException;

    /**
     * Acquires all members if they become free within the wait, without renewal. The lease of each member begins when that
     * member is acquired.
     *
     * @param wait the maximum time to wait for all members together; zero or less means not to wait
     * @param lease the lease of each member, 100 ms to 365 days; the hold ends when the first of them ends
     * @return {@code true} if all members were acquired; {@code false} if this call acquired none
     * @throws InterruptedException if the current thread is interrupted on entry or while waiting; nothing is acquired
     * @see #lock(Duration) the other exceptions
     */
    boolean tryLock(Duration wait, Duration lease) throws InterruptedException;

    /** Acquires all members like {@link #tryLock(Duration)}. */
    @Override
    default boolean tryLock(long wait, TimeUnit unit) throws InterruptedException {
        return tryLock(Duration.ofNanos(unit.toNanos(wait)));
    }

    /** Acquires all members like {@link #tryLock(Duration, Duration)}. */
    default boolean tryLock(long wait, long lease, TimeUnit unit) throws InterruptedException {
        return tryLock(Duration.ofNanos(unit.toNanos(wait)), Duration.ofNanos(unit.toNanos(lease)));
    }

    /**
     * Ends the innermost level of the current thread's hold. Unlocks every member, even if the unlock of another member throws.
     *
     * <p>The method is not interruptible, and preserves the interrupt status. It waits for the answer of each store for at most
     * the command timeout.
     *
     * @throws LeaseLostException if a member was lost before. It names the first lost member, and the exceptions of the others
     *     are suppressed
     * @throws IllegalMonitorStateException if the current thread does not hold this object, in which case nothing is unlocked;
     *     or if a member was unlocked separately, in which case the others are unlocked
     * @throws IllegalStateException if the client of a member was closed; the other members are unlocked
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

    /** Returns {@code true} if the current thread has to unlock this object, even after a member was lost. */
    boolean isHeldByCurrentThread();

    /** Returns how often the current thread has to unlock this object, even after a member was lost. */
    int holdCount();

    /**
     * Returns {@code true} if the current thread holds this object and every member is valid.
     *
     * <p>A member is not valid after it was lost, or while a clock step puts it in doubt.
     */
    boolean isValid();

    /**
     * Returns the time for which the current thread's hold stays valid if no store answers again. It is the shortest time of
     * the members, and zero if one was lost.
     *
     * @throws IllegalMonitorStateException if the current thread does not hold this object
     */
    Duration remainingLease();

    /**
     * Acquires a lease of all members, waiting for as long as it takes.
     *
     * @throws InterruptedException if the current thread is interrupted on entry or while waiting; nothing is acquired
     * @see #lock() the other exceptions
     */
    MultiLease acquire() throws InterruptedException;

    /**
     * Acquires a lease of all members within the given time.
     *
     * @param wait the maximum time to wait for all members together; zero or less means not to wait
     * @throws LockTimeoutException if the time is up; its text names the member that was not acquired, and its holder
     * @throws InterruptedException if the current thread is interrupted on entry or while waiting; nothing is acquired
     * @see #lock() the other exceptions
     */
    MultiLease acquire(Duration wait) throws InterruptedException;

    /**
     * Acquires a lease of all members if each is free now, like {@link #tryLock()}. Returns an empty result if a member is
     * held.
     */
    Optional<MultiLease> tryAcquire();

    /**
     * Acquires a lease of all members if they become free within the given time. Otherwise, returns an empty result.
     *
     * @param wait the maximum time to wait for all members together; zero or less means not to wait
     * @throws InterruptedException if the current thread is interrupted on entry or while waiting; nothing is acquired
     * @see #lock() the other exceptions
     */
    Optional<MultiLease> tryAcquire(Duration wait) throws InterruptedException;

    /**
     * Acquires a lease of all members, without renewal, if they become free within the wait. Otherwise, returns an empty
     * result. The lease of each member begins when that member is acquired.
     *
     * @param wait the maximum time to wait for all members together; zero or less means not to wait
     * @param lease the lease of each member, 100 ms to 365 days; the hold ends when the first of them ends
     * @throws InterruptedException if the current thread is interrupted on entry or while waiting; nothing is acquired
     * @see #lock(Duration) the other exceptions
     */
    Optional<MultiLease> tryAcquire(Duration wait, Duration lease) throws InterruptedException;

    /** Returns the asynchronous API of this lock, for leases. */
    AsyncMultiLock async();
}
