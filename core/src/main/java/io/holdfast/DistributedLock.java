package io.holdfast;

import static io.holdfast.spi.Names.quoted;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;

/**
 * A reentrant lock that excludes threads and leases of every client that uses the same name on the same store.
 *
 * <p>It has two APIs. The <em>thread API</em> ({@link #lock()}, {@link #tryLock()}, {@link #unlock()}) follows {@link Lock}:
 * the current thread is the owner and may lock again. The <em>lease API</em> ({@link #acquire()}, {@link #tryAcquire()})
 * returns a {@link Lease} that is not tied to a thread. The two APIs have different owners. So a thread that holds the lock and
 * then acquires a lease without a time limit would wait for itself. A thread that has an open lease and then locks would do the
 * same. Such a call throws {@link IllegalStateException}. A lease that another thread has used is no reason to refuse it,
 * because that thread is expected to close the lease.
 *
 * <pre>{@code
 * DistributedLock lock = holdfast.lock("orders/42");
 * lock.lock();                 // before the try: a failed lock() must not be unlocked
 * try {
 *     ship(42, lock.fencingToken());
 * } finally {
 *     lock.unlock();           // throws LeaseLostException if the hold was lost
 * }
 * }</pre>
 *
 * <p><strong>Leases.</strong> The store forgets a hold when its lease ends, so a crashed process does not block others forever.
 * Without a lease argument, the <em>watchdog</em> renews the lease in the background for as long as the owner lives. With a
 * lease argument, the hold has a <em>fixed lease</em>: it is not renewed, and ends with that lease. If the owner still holds it
 * at that moment, the hold is lost, like any other loss, and others can acquire the lock. A lease is 100 ms to 365 days;
 * otherwise the call throws {@link IllegalArgumentException}.
 *
 * <p><strong>Levels.</strong> Each reentrant acquire by the same thread adds a <em>level</em> to its hold. A level with a lease
 * argument ends with that lease. A level without one has no end, because the watchdog renews the hold. Each renewal has the
 * lease of the lock object that entered the outermost such level. The hold ends when the last of its levels ends. So unlocking
 * the innermost level can move the end of the hold to an earlier time, if the remaining levels end earlier.
 *
 * <p><strong>Waits.</strong> A wait argument limits the time to wait for the lock. Zero or less means not to wait. Every call
 * waits for the store's first answer, for at most the command timeout (default 2 s), because nothing is known before that.
 *
 * <p><strong>Every acquiring method</strong> does the following, when the lock is
 * <ul>
 *   <li>free: acquires it with one store call;
 *   <li>held by the current thread (thread API): adds one level without a store call. If the new level has a fixed lease that
 *       ends later than the hold, one store call moves the end of the hold. If that call is not confirmed, the method throws
 *       {@link StoreUnavailableException} and adds no level. With {@link LockOptions#withReentrant withReentrant(false)}, the
 *       method throws {@link IllegalStateException};
 *   <li>held by another owner: a method without a wait argument waits without a time limit ({@link #lock()},
 *       {@link #lockInterruptibly()}, {@link #acquire()}), or returns {@code false} or an empty result at once
 *       ({@link #tryLock()}, {@link #tryAcquire()}). A method with a wait argument waits for that time. Then it returns
 *       {@code false} or an empty result, or throws {@link LockTimeoutException} ({@link #acquire(Duration)});
 *   <li>in a store that does not answer the first request: throws {@link StoreUnavailableException} (the lock is not acquired)
 *       or {@link IndeterminateLockException} (the outcome is unknown, and any grant is released) after the command timeout. A
 *       call that already waits continues to wait until its own time is up, or until {@code maxOutage} (default 30 s) has
 *       passed;
 *   <li>refused by the store (missing access rights, a foreign key under the name, bad configuration): throws
 *       {@link StoreRefusedException}.
 * </ul>
 *
 * <p>A call that is interrupted, times out or fails leaves nothing behind at the store. Any grant is released in the
 * background. If the wait ends during an outage, the result is {@code false} or empty only if nothing can have been granted.
 * Otherwise, the call throws as above. A call lasts at most its wait plus the command timeout.
 *
 * <p><strong>Fairness.</strong> The lock is not fair. A waiter with a position in the store's queue does not starve. Inside a
 * process, a newcomer can barge ahead of a waiter for at most about 1 ms. While another client waits, a process hands the lock
 * over among its own threads for at most four round trips to the store (at least 2 ms, at most 50 ms), and the next release
 * assigns it to the other client. If the queue has no room, the waiter polls. It then
 * acquires the lock only if the lock is free when it asks, and can starve at a busy lock. For strict order, use
 * {@link Holdfast#fairLock(String)}.
 *
 * <p>Objects of this type have no state of their own. They are cheap, safe for use by any thread, and equal if name and client
 * are equal.
 */
public interface DistributedLock extends Lock {

    /** Returns the name that was passed to {@link Holdfast#lock(String)}. */
    String name();

    /**
     * Acquires the lock for the current thread, waiting for as long as it takes.
     *
     * <p>An interrupt does not end the wait. In that case, the interrupt status is set when the method returns. The method
     * calls the store, unless the current thread already holds the lock or another thread of this process hands it over.
     *
     * @throws LeaseLostException if the current thread holds the lock and its hold was lost; unlock first
     * @throws IllegalStateException if the client is closed; if the current thread holds the lock and the lock is not
     *     reentrant; or if it holds an open {@link Lease} of this name, because it would wait for itself
     * @throws StoreUnavailableException if the store did not answer; nothing is acquired
     * @throws IndeterminateLockException if it is not known whether the store granted the lock; any grant is released in the
     *     background
     * @throws StoreRefusedException if the store refused the request
     */
    @Override
    void lock();

    /**
     * Acquires the lock like {@link #lock()}, for the given lease and without renewal.
     *
     * <p>If the current thread already holds the lock, the new level never makes the hold end earlier than its other levels do.
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
     * Acquires the lock if it is free now, or adds a level if the current thread holds it.
     *
     * <p>The method asks the store once, unless this process knows that the lock is held. It is not interruptible, and
     * preserves the interrupt status. If the store reports a holder that may merely be
     * {@linkplain LockOptions#withLinger lingering} at another client, the method waits up to 50 ms for that client to release
     * the lock.
     *
     * @return {@code true} if the current thread holds the lock now; {@code false} if another owner holds it. If the outcome is
     *     unknown, the method throws instead
     * @throws LeaseLostException if the current thread holds the lock and its hold was lost; unlock first
     * @throws IllegalStateException if the client is closed, or if the current thread holds the lock and the lock is not
     *     reentrant
     * @throws StoreUnavailableException if the store did not answer; nothing is acquired
     * @throws IndeterminateLockException if it is not known whether the store granted the lock; any grant is released in the
     *     background
     * @throws StoreRefusedException if the store refused the request
     */
    @Override
    boolean tryLock();

    /**
     * Acquires the lock if it becomes free within the given time.
     *
     * @param wait the maximum time to wait; zero or less means not to wait
     * @return {@code true} if the lock was acquired; {@code false} if others held it for the whole time
     * @throws InterruptedException if the current thread is interrupted on entry or while waiting; nothing is acquired
     * @see #tryLock() the other exceptions
     */
    boolean tryLock(Duration wait) throws InterruptedException;

    /**
     * Acquires the lock if it becomes free within the wait, for the given lease and without renewal.
     *
     * @param wait the maximum time to wait; zero or less means not to wait
     * @param lease the lease, 100 ms to 365 days
     * @return {@code true} if the lock was acquired; {@code false} if others held it for the whole wait
     * @throws IllegalArgumentException if the lease is out of range
     * @throws InterruptedException if the current thread is interrupted on entry or while waiting; nothing is acquired
     * @see #tryLock() the other exceptions
     */
    boolean tryLock(Duration wait, Duration lease) throws InterruptedException;

    /**
     * Acquires the lock like {@link #tryLock(Duration)}.
     *
     * @param wait the maximum time to wait, in the given unit; zero or less means not to wait
     * @return {@code true} if the lock was acquired; {@code false} if others held it for the whole time
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
     * @param wait the maximum time to wait, in the given unit; zero or less means not to wait
     * @param lease the lease in the given unit, 100 ms to 365 days
     * @return {@code true} if the lock was acquired; {@code false} if others held it for the whole wait
     * @throws IllegalArgumentException if the lease is out of range
     * @throws InterruptedException if the current thread is interrupted on entry or while waiting; nothing is acquired
     * @see #tryLock(Duration, Duration) the other exceptions
     */
    default boolean tryLock(long wait, long lease, TimeUnit unit) throws InterruptedException {
        return tryLock(Duration.ofNanos(unit.toNanos(wait)), Duration.ofNanos(unit.toNanos(lease)));
    }

    /**
     * Ends the innermost level of the current thread's hold.
     *
     * <p>Ending the outermost level releases the lock with one store call, or hands it over to the next waiter of this process
     * without one. The method is not interruptible, and preserves the interrupt status. It waits for the store's answer for at
     * most the command timeout. If no answer arrives, the hold has ended for the caller nevertheless. In that case, a warning
     * is logged, and the release continues in the background until it is confirmed.
     *
     * @throws LeaseLostException if the hold was lost before, or if the store refuses to release it. The level is ended. Ending
     *     the outermost level also clears the lost hold
     * @throws IllegalMonitorStateException if the current thread does not hold the lock; the text names the holder, as far as
     *     this client knows it
     * @throws IllegalStateException if the client was closed, which released the hold
     */
    @Override
    void unlock();

    /**
     * Runs the body while the current thread holds the lock.
     *
     * <p>The method waits for the lock like {@link #lock()}, and unlocks when the body ends, normally or by an exception. An
     * exception of the body is thrown to the caller, with an exception of the unlock added as suppressed. If the body ends
     * normally, an exception of the unlock is thrown, because the body may not have run under the lock.
     *
     * @throws LeaseLostException if the hold was lost
     * @see #lock() the other exceptions, which mean that the body has not run
     */
    @SuppressWarnings("try")
    default void run(Runnable body) {
        Objects.requireNonNull(body, "body");
        lock();
        try (Unlocking unlocking = this::unlock) {
            body.run();
        }
    }

    /**
     * Runs the body like {@link #run}, if the lock becomes free within the given time.
     *
     * @param wait the maximum time to wait; zero or less means not to wait
     * @return {@code true} if the body ran; {@code false} if others held the lock for the whole time
     * @throws InterruptedException if the current thread is interrupted on entry or while waiting; the body has not run
     * @see #run the other exceptions
     */
    @SuppressWarnings("try")
    default boolean tryRun(Duration wait, Runnable body) throws InterruptedException {
        Objects.requireNonNull(body, "body");
        if (!tryLock(wait)) {
            return false;
        }
        try (Unlocking unlocking = this::unlock) {
            body.run();
        }
        return true;
    }

    /**
     * Runs the body like {@link #run}, and returns its result.
     *
     * @throws Exception the exception that the body throws
     * @see #run the other exceptions
     */
    @SuppressWarnings("try")
    default <T> T call(Callable<T> body) throws Exception {
        Objects.requireNonNull(body, "body");
        lock();
        try (Unlocking unlocking = this::unlock) {
            return body.call();
        }
    }

    /**
     * Runs the body like {@link #run} if the lock becomes free within the given time, and returns its result.
     *
     * @param wait the maximum time to wait; zero or less means not to wait
     * @param body must not return {@code null}, which could not be distinguished from a body that has not run
     * @return the result; empty if others held the lock for the whole time, and the body did not run
     * @throws InterruptedException if the current thread is interrupted on entry or while waiting; the body has not run
     * @throws NullPointerException if the body ran and returned {@code null}
     * @throws Exception the exception that the body throws
     * @see #run the other exceptions
     */
    @SuppressWarnings("try")
    default <T> Optional<T> tryCall(Duration wait, Callable<T> body) throws Exception {
        Objects.requireNonNull(body, "body");
        if (!tryLock(wait)) {
            return Optional.empty();
        }
        try (Unlocking unlocking = this::unlock) {
            return Optional.of(
                    Objects.requireNonNull(body.call(), () -> "lock " + quoted(name()) + ": the body returned null"));
        }
    }

    /**
     * Runs the body if the lock is free now, and keeps the lock held for at least the given time. If several nodes start the
     * same work at about the same time, only one of them does it.
     *
     * <p>The method does not wait for the lock. It is not interruptible, and preserves the interrupt status. While the body
     * runs, the current thread holds the lock, which is renewed for as long as the body takes. When the body ends, normally or
     * by an exception, the thread no longer holds the lock. If {@code minHold} has passed since the lock was acquired, the lock
     * is released as by {@link #unlock}. Otherwise, the client holds the lock until {@code minHold} has passed, and then
     * releases it in the background. Until then no owner can acquire it, including the current thread.
     *
     * <p>The lease at the store covers {@code minHold} from the beginning. So the lock stays held even if the client is closed
     * or its process dies, in the body or after it. It then expires with that lease: at {@code minHold}, or up to one watchdog
     * lease later, because a store never shortens a renewed lease.
     *
     * <p>Exceptions of the body and of the unlock are thrown as by {@link #run}. When the body ends before {@code minHold} has
     * passed, the store is asked whether it has lost the lock, for the command timeout at most. After a loss, other owners may acquire
     * the lock before {@code minHold} has passed. The same holds for a lock that is in doubt when the body ends, because the
     * machine was suspended or its clock was set, if the store does not confirm it within the command timeout.
     *
     * @param minHold the minimum time to hold the lock by this client's clock, 100 ms to 365 days; longer than the skew between
     *     the start times of the nodes, and shorter than the period between two starts minus that skew
     * @return {@code true} if the body ran; {@code false} if another owner holds the lock, or if the {@code minHold} of an
     *     earlier call has not passed
     * @throws IllegalArgumentException if {@code minHold} is out of range
     * @throws IllegalStateException if the current thread holds the lock, or if the client is closed, even if the body closed
     *     it
     * @throws IllegalMonitorStateException if the body itself ended the hold
     * @throws LeaseLostException if the hold was lost while the body ran
     * @see #lock() the other exceptions, which mean that the body has not run
     */
    @CanIgnoreReturnValue
    boolean runOnce(Duration minHold, Runnable body);

    /**
     * Throws {@link UnsupportedOperationException}, because a condition would need a queue of its own in every store.
     *
     * @throws UnsupportedOperationException always
     */
    @Override
    default Condition newCondition() {
        throw new UnsupportedOperationException(
                "lock " + quoted(name()) + ": conditions are not supported; poll, or use a queue or a latch");
    }

    /**
     * Returns {@code true} if any owner of any client holds the lock. Calls the store. The answer may be outdated when it
     * arrives.
     *
     * @throws IllegalStateException if the client is closed
     * @throws StoreUnavailableException if the store did not answer within the command timeout
     * @throws StoreRefusedException if the store refused the request
     */
    default boolean isLocked() {
        return holder().isPresent();
    }

    /**
     * Returns {@code true} if the current thread has to unlock this lock, as in
     * {@link java.util.concurrent.locks.ReentrantLock}.
     *
     * <p>The result stays {@code true} after the hold was lost, so that {@code if (isHeldByCurrentThread()) unlock()} does not
     * hide a loss. Use {@link #isValid} to check whether the hold can be relied on.
     */
    boolean isHeldByCurrentThread();

    /** Returns the number of levels that the current thread has to unlock. A lost hold counts until it is unlocked. */
    int holdCount();

    /**
     * Returns {@code true} if the current thread holds the lock and the hold is valid.
     *
     * <p>A hold is not valid after it was lost, or while a clock step puts it in doubt.
     */
    boolean isValid();

    /**
     * Returns the fencing token of the current thread's hold.
     *
     * <p>The token is greater than every token that was issued for this name before. A reentrant acquire keeps the token. Send
     * it with each write to the protected resource, and let that resource refuse a lower one.
     *
     * @throws LeaseLostException if the hold was lost
     * @throws IllegalMonitorStateException if the current thread does not hold the lock
     */
    long fencingToken();

    /**
     * Returns the time for which the current thread's hold stays valid if the store does not answer again. It is zero if the
     * hold was lost.
     *
     * @throws IllegalMonitorStateException if the current thread does not hold the lock
     */
    Duration remainingLease();

    /**
     * Returns the holder of the lock: host, process, thread, start of the hold, and token; empty if the lock is free.
     *
     * <p>The method calls the store, and asks the holder for at most 200 ms. Details that the holder does not report are empty.
     *
     * @throws IllegalStateException if the client is closed
     * @throws StoreUnavailableException if the store did not answer within the command timeout
     * @throws StoreRefusedException if the store refused the request
     */
    Optional<LockReport.Holder> holder();

    /**
     * Releases the lock for whichever owner holds it.
     *
     * <p>The holder is notified of the loss ({@link LockEvent.Lost}), and its unlock throws {@link LeaseLostException}. Until
     * then it may still act; only its lower fencing token protects the resource. The method makes one store call. It is not
     * interruptible, and preserves the interrupt status.
     *
     * @return {@code true} if the lock was held, or was {@linkplain LockOptions#withLinger lingering} at a client;
     *     {@code false} if it was free
     * @throws StoreUnavailableException if the store did not apply the request; the lock was not released
     * @throws IndeterminateLockException if the store did not answer within the command timeout; the lock may have been
     *     released. The request is not sent again
     * @throws IllegalStateException if the client is closed
     * @throws StoreRefusedException if the store refused the request
     */
    @CanIgnoreReturnValue
    boolean forceUnlock();

    /**
     * Acquires a lease, waiting for as long as it takes.
     *
     * <pre>{@code
     * try (Lease lease = lock.acquire()) {
     *     ship(42, lease.fencingToken());
     * }
     * }</pre>
     *
     * @throws InterruptedException if the current thread is interrupted on entry or while waiting; nothing is acquired
     * @throws IllegalStateException if the client is closed; or if the current thread holds the lock or an open lease of this
     *     name, because it would wait for itself
     * @throws StoreUnavailableException if the store did not answer; nothing is acquired
     * @throws IndeterminateLockException if it is not known whether the store granted the lock; any grant is released in the
     *     background
     * @throws StoreRefusedException if the store refused the request
     */
    Lease acquire() throws InterruptedException;

    /**
     * Acquires a lease within the given time.
     *
     * @param wait the maximum time to wait; zero or less means not to wait
     * @throws LockTimeoutException if the time is up; its text names the holder of the lock
     * @throws InterruptedException if the current thread is interrupted on entry or while waiting; nothing is acquired
     * @throws IllegalStateException if the client is closed
     * @throws StoreUnavailableException if the store did not answer; nothing is acquired
     * @throws IndeterminateLockException if it is not known whether the store granted the lock; any grant is released in the
     *     background
     * @throws StoreRefusedException if the store refused the request
     */
    Lease acquire(Duration wait) throws InterruptedException;

    /**
     * Acquires a lease if the lock is free now, like {@link #tryLock()}. Returns an empty result if the lock is held.
     *
     * @throws IllegalStateException if the client is closed
     * @throws StoreUnavailableException if the store did not answer; nothing is acquired
     * @throws IndeterminateLockException if it is not known whether the store granted the lock; any grant is released in the
     *     background
     * @throws StoreRefusedException if the store refused the request
     */
    Optional<Lease> tryAcquire();

    /**
     * Acquires a lease if the lock becomes free within the given time. Otherwise, returns an empty result.
     *
     * @param wait the maximum time to wait; zero or less means not to wait
     * @throws InterruptedException if the current thread is interrupted on entry or while waiting; nothing is acquired
     * @see #tryAcquire() the other exceptions
     */
    Optional<Lease> tryAcquire(Duration wait) throws InterruptedException;

    /**
     * Acquires a lease that ends after the given time and is not renewed, if the lock becomes free within the wait. Otherwise,
     * returns an empty result.
     *
     * @param wait the maximum time to wait; zero or less means not to wait
     * @param lease the lease, 100 ms to 365 days
     * @throws IllegalArgumentException if the lease is out of range
     * @throws InterruptedException if the current thread is interrupted on entry or while waiting; nothing is acquired
     * @see #tryAcquire() the other exceptions
     */
    Optional<Lease> tryAcquire(Duration wait, Duration lease) throws InterruptedException;

    /** Returns the asynchronous API of this lock, for leases. */
    AsyncLock<Lease> async();
}
