package io.holdfast;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;

/**
 * Several locks, of any stores, that are taken all or not at all; see {@link Holdfast#multiLock}.
 *
 * <pre>{@code
 * MultiLock both = Holdfast.multiLock(from, to);
 * try (MultiLease lease = both.acquire()) {
 *     transfer(lease.token(from), lease.token(to));
 * }
 * }</pre>
 *
 * <p>It has the two faces of a {@link DistributedLock}. In the thread face the current thread holds each member, may lock
 * it again by itself, and asks it for its {@link DistributedLock#fencingToken}. In the lease face a {@link MultiLease}
 * has the tokens.
 *
 * <p><strong>Order.</strong> Members are waited for one after the other, by their names in the store and then by the addresses
 * of the stores, whatever order they were given in. So multi-locks never wait for each other in a circle. This needs
 * the same order in every process: one that has the same name in two stores must reach both by the same URIs everywhere. A
 * thread that locks members one by one beside it must keep to the order of {@link #members}.
 *
 * <p><strong>All or nothing.</strong> There is one wait for all members. When it has passed, the thread is interrupted,
 * the future is cancelled or a member fails, what was taken is released before the call ends. When the last member was
 * got all are looked at once more; if one is not valid any more, because its lease ended meanwhile, all are given back and
 * asked for again within the wait. If no other owner held a member and this fails again and again, the answers of the stores
 * take longer than the lease: the call throws {@link StoreUnavailableException}, also when it has no limit.
 *
 * <p><strong>Every acquiring method</strong> takes each member as the method of that name of {@link DistributedLock} does:
 * one store call for each member that is free, none for one that is held by me, waiting for one that is held by another,
 * and with its exceptions, which name the member. Members that follow each other in that order cost one store call together, if
 * they are locks of one client that are not fair, nobody in this process has or wants one, and the store can do it (memory, and
 * Redis but for {@code interop=redisson}); of more than 64, each 64. If one turns out to be held by another, that call takes
 * none: a method that does not wait is done, and the others go on as above. While such a call is under way, whoever in this process
 * tries one of its members without waiting finds it taken, also if the call gets none. A call lasts at most its wait and one
 * command timeout, and one more for each member that is given back to a store that does not answer.
 *
 * <p><strong>Loss.</strong> The hold is valid as long as all members are. When one is lost the others are kept until the
 * owner leaves, who may be at work.
 *
 * <p>Safe for use by any thread. Keep the object between lock and unlock: it counts the levels of each thread.
 */
public interface MultiLock extends Lock {

    /** The members, in the order in which they are taken. */
    List<DistributedLock> members();

    /**
     * Acquires all members for the current thread, waiting for as long as it takes, uninterruptibly.
     *
     * @throws LeaseLostException if this thread holds a member and has lost it; unlock first
     * @throws IllegalStateException if the current thread holds an open {@link Lease} of a member, for which it would wait
     *     for ever, or the client of a member is closed
     * @throws StoreUnavailableException if a store did not answer, or the answers of the stores together take longer than a
     *     lease; nothing is acquired
     * @throws IndeterminateLockException if it cannot be known of a member; all are being released
     * @throws StoreRefusedException if a store refused
     */
    @Override
    void lock();

    /**
     * Acquires all members like {@link #lock()}, each for the given lease from when it is got, without renewal.
     *
     * @param lease 100 ms to 365 days; the hold ends with the first member
     * @throws IllegalArgumentException if the lease is out of range
     */
    void lock(Duration lease);

    /**
     * Acquires all members for the current thread, waiting until they are free or the thread is interrupted.
     *
     * @throws InterruptedException if interrupted on entry or while waiting; nothing is acquired then
     * @see #lock() the other exceptions
     */
    @Override
    void lockInterruptibly() throws InterruptedException;

    /**
     * Acquires all members only if each is free now or held by this thread. Not interruptible; an interrupt is kept.
     *
     * @return whether all are held by the current thread now; if not, none is held by this call
     * @see #lock() the exceptions
     */
    @Override
    boolean tryLock();

    /**
     * Acquires all members if they become free within the wait.
     *
     * @param wait for all together; zero or less for no waiting
     * @throws InterruptedException if interrupted on entry or while waiting; nothing is acquired then
     * @see #lock() the other exceptions
     */
    boolean tryLock(Duration wait) throws InterruptedException;

    /**
     * Acquires all members if they become free within the wait, each for the given lease from when it is got, without
     * renewal.
     *
     * @param wait for all together; zero or less for no waiting
     * @param lease 100 ms to 365 days; the hold ends with the first member
     * @throws InterruptedException if interrupted on entry or while waiting; nothing is acquired then
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
     * Ends the innermost level of the current thread's hold: unlocks every member, also when that of another one throws.
     *
     * <p>Not interruptible; an interrupt is kept. Waits for each store's answer at most the command timeout.
     *
     * @throws LeaseLostException if a member was lost before; it names the first one. What the others threw is suppressed
     * @throws IllegalMonitorStateException if the current thread does not hold this object, and nothing is unlocked; or if
     *     a member was unlocked by itself, and the others are unlocked
     * @throws IllegalStateException if the client of a member was closed, and the others are unlocked
     */
    @Override
    void unlock();

    /**
     * Not supported, as for each member.
     *
     * @throws UnsupportedOperationException always
     */
    @Override
    default Condition newCondition() {
        throw new UnsupportedOperationException(
                this + ": conditions are not supported; poll, or use a queue or a latch");
    }

    /** Whether the current thread has this object to unlock, also when a member was lost meanwhile. */
    boolean isHeldByCurrentThread();

    /** How often the current thread has to unlock this object, also when a member was lost meanwhile. */
    int holdCount();

    /** Whether the current thread holds this object and every member is valid: not lost, and not in doubt after a clock step. */
    boolean isValid();

    /**
     * How long the current thread's hold is valid for if no store is heard of again: the shortest of its members; zero if
     * one was lost.
     *
     * @throws IllegalMonitorStateException if the current thread does not hold this object
     */
    Duration remainingLease();

    /**
     * Acquires a lease of all members, waiting for as long as it takes.
     *
     * @throws InterruptedException if interrupted on entry or while waiting; nothing is acquired then
     * @see #lock() the other exceptions
     */
    MultiLease acquire() throws InterruptedException;

    /**
     * Acquires a lease of all members within the wait.
     *
     * @param wait for all together; zero or less for no waiting
     * @throws LockTimeoutException if the wait passed; it names the member that was not got, and who holds it
     * @throws InterruptedException if interrupted on entry or while waiting; nothing is acquired then
     * @see #lock() the other exceptions
     */
    MultiLease acquire(Duration wait) throws InterruptedException;

    /** Acquires a lease of all members if each is free now, like {@link #tryLock()}; empty if one is held. */
    Optional<MultiLease> tryAcquire();

    /**
     * Acquires a lease of all members if they become free within the wait; empty otherwise.
     *
     * @param wait for all together; zero or less for no waiting
     * @throws InterruptedException if interrupted on entry or while waiting; nothing is acquired then
     * @see #lock() the other exceptions
     */
    Optional<MultiLease> tryAcquire(Duration wait) throws InterruptedException;

    /**
     * Acquires a lease of all members if they become free within the wait, each for the given time from when it is got, without
     * renewal.
     *
     * @param wait for all together; zero or less for no waiting
     * @param lease 100 ms to 365 days; the hold ends with the first member
     * @throws InterruptedException if interrupted on entry or while waiting; nothing is acquired then
     * @see #lock(Duration) the other exceptions
     */
    Optional<MultiLease> tryAcquire(Duration wait, Duration lease) throws InterruptedException;

    /** The lease face without blocking. */
    AsyncMultiLock async();
}
