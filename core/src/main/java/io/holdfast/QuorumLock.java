package io.holdfast;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;

/**
 * One lock over several servers that know nothing of each other, held when a majority of them has granted it; see
 * {@link Holdfast#quorumLock}.
 *
 * <pre>{@code
 * QuorumLock lock = Holdfast.quorumLock("orders/42", List.of(one, two, three));
 * try (QuorumLease lease = lock.acquire()) {
 *     ship(42, lease.token());
 * }
 * }</pre>
 *
 * <p>It goes on while any minority of the servers is dead, slow, or cut off. What it promises, and on which assumptions, is
 * in the guarantees: those of a lock, but for the exclusion, which rests on each server keeping what it acknowledged.
 *
 * <p><strong>Faces.</strong> In the thread face the current thread holds it, and may lock this object again. In the lease
 * face a {@link QuorumLease} does. Both are different owners.
 *
 * <p><strong>Every acquiring method</strong> asks all servers at once, each for at most the budget
 * ({@link QuorumOptions#budget}), and returns when a majority has granted the lock and confirmed its token: two calls to
 * each server, and none where this thread holds it. The others are taken when they answer. When no majority can be had
 * everything is given back, and asked for again after a random pause, of up to half a second in the end, within the wait;
 * when the wait has passed it asks once more. Nobody has a place in a queue, and without a wait it may find nobody to have
 * the lock, when others ask at the same moment. A call lasts at most its wait and three budgets. A waiter stays through an
 * outage like that of a {@link DistributedLock}.
 *
 * <p><strong>Missing servers</strong> are asked again every third of a lease, so that one that was down does not leave the
 * hold at a bare majority.
 *
 * <p><strong>Loss.</strong> The hold is lost when it is left at fewer servers than a majority. What is left is kept until
 * the owner leaves, who may be at work. A thread that dies is treated as a crash, at the latest a third of a lease later.
 *
 * <p>Safe for use by any thread. Keep the object between lock and unlock: it knows what each thread holds.
 */
public interface QuorumLock extends Lock {

    /** The name, the same at all servers. */
    String name();

    /** The lock at each server, in the order in which the servers were given. To lock one by itself is to be a rival. */
    List<DistributedLock> members();

    /** How many servers a hold needs. */
    int majority();

    /**
     * Acquires the lock for the current thread, waiting for as long as it takes, uninterruptibly.
     *
     * @throws LeaseLostException if this thread holds the lock and has lost it; unlock first
     * @throws IllegalStateException if so many clients are closed that no majority is left; or if this thread holds the lock,
     *     and the options forbid to enter it again, or it holds it for a lease of its own, which would have to be renewed now
     * @throws StoreUnavailableException if too few servers answered; nothing is acquired
     * @throws IndeterminateLockException if too few servers answered, and one of those that did not may have granted the
     *     lock; all are being released
     * @throws StoreRefusedException if too many servers refused
     */
    @Override
    void lock();

    /**
     * Acquires the lock like {@link #lock()}, but for the given lease from when it is asked for, without renewal. If this
     * thread holds the lock for a lease of its own, that ends later, if so it has to, and stays so until it is unlocked.
     *
     * @param lease 100 ms to 365 days
     * @throws IllegalArgumentException if the lease is out of range
     */
    void lock(Duration lease);

    /**
     * Acquires the lock for the current thread, waiting until it is had or the thread is interrupted.
     *
     * @throws InterruptedException if interrupted on entry or while waiting; nothing is acquired then
     * @see #lock() the other exceptions
     */
    @Override
    void lockInterruptibly() throws InterruptedException;

    /**
     * Asks once for the lock. Not interruptible; an interrupt is kept.
     *
     * @return whether the current thread holds it now
     * @see #lock() the exceptions
     */
    @Override
    boolean tryLock();

    /**
     * Acquires the lock if a majority becomes free within the wait.
     *
     * @param wait zero or less for no waiting
     * @throws InterruptedException if interrupted on entry or while waiting; nothing is acquired then
     * @see #lock() the other exceptions
     */
    boolean tryLock(Duration wait) throws InterruptedException;

    /**
     * Acquires the lock if a majority becomes free within the wait, for the given lease, without renewal.
     *
     * @param wait zero or less for no waiting
     * @param lease 100 ms to 365 days
     * @throws InterruptedException if interrupted on entry or while waiting; nothing is acquired then
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
     * Ends the innermost level of the current thread's hold; the outermost releases the lock at all servers.
     *
     * <p>Not interruptible; an interrupt is kept. Waits for the answers at most the budget.
     *
     * @throws LeaseLostException if a majority was lost before
     * @throws IllegalStateException if no majority of the clients is open, which released the hold
     * @throws IllegalMonitorStateException if the current thread does not hold this object; nothing is unlocked
     */
    @Override
    void unlock();

    /**
     * Not supported.
     *
     * @throws UnsupportedOperationException always
     */
    @Override
    default Condition newCondition() {
        throw new UnsupportedOperationException(
                this + ": conditions are not supported; poll, or use a queue or a latch");
    }

    /** How often the current thread has to unlock this object, also when it was lost meanwhile. */
    int holdCount();

    /** Whether the current thread has this object to unlock, also when it was lost meanwhile. */
    default boolean isHeldByCurrentThread() {
        return holdCount() > 0;
    }

    /** Whether the current thread holds the lock, and a majority is valid: not lost, and not in doubt after a clock step. */
    boolean isValid();

    /** At how many servers the current thread's hold is valid now; 0 if it has none. */
    int heldAt();

    /**
     * The fencing token of the current thread's hold; see {@link QuorumLease#token}.
     *
     * @throws IllegalMonitorStateException if the current thread does not hold this object
     * @throws LeaseLostException if the hold is lost
     */
    long fencingToken();

    /**
     * How long the current thread's hold is valid for if no server is heard of again: as long as a majority is; zero if it
     * was lost.
     *
     * @throws IllegalMonitorStateException if the current thread does not hold this object
     */
    Duration remainingLease();

    /**
     * Acquires a lease, waiting for as long as it takes.
     *
     * @throws InterruptedException if interrupted on entry or while waiting; nothing is acquired then
     * @see #lock() the other exceptions
     */
    QuorumLease acquire() throws InterruptedException;

    /**
     * Acquires a lease within the wait.
     *
     * @param wait zero or less for no waiting
     * @throws LockTimeoutException if the wait passed
     * @throws InterruptedException if interrupted on entry or while waiting; nothing is acquired then
     * @see #lock() the other exceptions
     */
    QuorumLease acquire(Duration wait) throws InterruptedException;

    /** Asks once for a lease, like {@link #tryLock()}; empty if others hold it at too many servers. */
    Optional<QuorumLease> tryAcquire();

    /**
     * Acquires a lease if a majority becomes free within the wait; empty otherwise.
     *
     * @param wait zero or less for no waiting
     * @throws InterruptedException if interrupted on entry or while waiting; nothing is acquired then
     * @see #lock() the other exceptions
     */
    Optional<QuorumLease> tryAcquire(Duration wait) throws InterruptedException;

    /**
     * Acquires a lease if a majority becomes free within the wait, for the given time from when it is asked for, without
     * renewal.
     *
     * @param wait zero or less for no waiting
     * @param lease 100 ms to 365 days
     * @throws InterruptedException if interrupted on entry or while waiting; nothing is acquired then
     * @see #lock(Duration) the other exceptions
     */
    Optional<QuorumLease> tryAcquire(Duration wait, Duration lease) throws InterruptedException;

    /** The lease face without blocking. */
    AsyncQuorumLock async();
}
