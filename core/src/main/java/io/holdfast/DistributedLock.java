package io.holdfast;

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
 * <p>It has two faces. The <em>thread face</em> ({@link #lock()}, {@link #tryLock()}, {@link #unlock()}) follows
 * {@link Lock}: the current thread is the owner and may lock again. The <em>lease face</em> ({@link #acquire()},
 * {@link #tryAcquire()}) gives a {@link Lease} that is tied to no thread. The faces are different owners: a thread that
 * holds the lock and then asks for a lease without a bound to the wait would wait for itself, and so would a thread that
 * acquired a lease which is still open and then locks; such a call throws {@link IllegalStateException}.
 *
 * <pre>{@code
 * DistributedLock lock = holdfast.lock("orders/42");
 * lock.lock();                 // before the try: a failed lock() must not be unlocked
 * try {
 *     ship(42, lock.fencingToken());
 * } finally {
 *     lock.unlock();           // throws LeaseLostException when the hold was lost meanwhile
 * }
 * }</pre>
 *
 * <p><strong>Leases.</strong> The store forgets a hold when its lease ends, so that a crashed process blocks nobody for
 * ever. Without a lease argument the lease is renewed in the background for as long as the owner lives (the
 * <em>watchdog</em>). With a lease argument the hold ends then, is not renewed, and others may take the lock at that
 * moment; that is a loss like any other. The hold lasts until the latest end of its levels; when a level ends, the rest
 * counts again. The watchdog renews it for the lease of the lock by which the outermost of its levels without a lease
 * argument was entered. A lease is 100 ms to 365 days, or the call throws {@link IllegalArgumentException}.
 *
 * <p><strong>Waits.</strong> A wait bounds the waiting for the lock. Zero or less means no waiting. The first answer of
 * the store is always waited for, at most for the command timeout (default 2 s), because without it nothing can be said.
 *
 * <p><strong>Every acquiring method</strong>, when the lock is
 * <ul>
 *   <li>free: takes it with one store call;
 *   <li>held by me (thread face): adds one level, without a store call, unless the level's own lease ends later than the
 *       hold: then one call sets that end, and if it is not confirmed {@link StoreUnavailableException} is thrown and no
 *       level is added; with {@link LockOptions#withReentrant withReentrant(false)} throws {@link IllegalStateException};
 *   <li>held by another: waits as its signature says;
 *   <li>unreachable at the first call: throws {@link StoreUnavailableException} (not acquired) or
 *       {@link IndeterminateLockException} (may be held; is being released) after the command timeout. A call that
 *       already waits stays through an outage until its own time is up or {@code maxOutage} (default 30 s) has passed;
 *   <li>refused by the store (no rights, a foreign key under the name, bad configuration): throws
 *       {@link StoreRefusedException}.
 * </ul>
 * A call that is interrupted, times out or fails leaves nothing behind at the store: what may have been granted is released
 * in the background. When the wait ends during an outage, false or empty is the answer only if nothing can have been
 * granted; otherwise the call throws as above. A call lasts at most its wait and the command timeout.
 *
 * <p><strong>Fairness.</strong> None between newcomers and waiters, but nobody starves: inside a process nobody is
 * overtaken for more than about 1 ms, and while another client waits a process keeps the lock to itself for about 2 ms. A
 * waiter that polls, by choice ({@link WaitStrategy#POLLING}) or because the store sends no messages, gets the lock when it
 * happens to ask while the lock is free.
 *
 * <p>Objects of this type hold no state of a hold; they are cheap, safe for use by any thread, and equal for equal name
 * and client.
 */
public interface DistributedLock extends Lock {

    /** The name, as it was given to {@link Holdfast#lock(String)}. */
    String name();

    /**
     * Acquires the lock for the current thread, waiting for as long as it takes, uninterruptibly.
     *
     * <p>Interrupts are kept for later. Calls the store unless the thread holds the lock, or it is handed on inside this
     * process.
     *
     * @throws LeaseLostException if this thread holds the lock and has lost it; unlock first
     * @throws IllegalStateException if the current thread holds an open {@link Lease} of this name, for which it would
     *     wait for ever, or holds the lock, which is not reentrant, or the client is closed
     * @throws StoreUnavailableException if the store did not answer; not acquired
     * @throws IndeterminateLockException if it cannot be known; is being released
     * @throws StoreRefusedException if the store refused
     */
    @Override
    void lock();

    /**
     * Acquires the lock like {@link #lock()}, for the given lease, without renewal.
     *
     * <p>A level of an already held lock never ends the hold earlier than the others would.
     *
     * @param lease 100 ms to 365 days
     * @throws IllegalArgumentException if the lease is out of range
     */
    void lock(Duration lease);

    /**
     * Acquires the lock for the current thread, waiting until it is free or the thread is interrupted.
     *
     * @throws InterruptedException if interrupted on entry or while waiting; nothing is acquired then
     * @see #lock() the other exceptions
     */
    @Override
    void lockInterruptibly() throws InterruptedException;

    /**
     * Acquires the lock only if it is free now or held by this thread.
     *
     * <p>Asks the store once unless this process knows that the lock is taken. Not interruptible; an interrupt is kept. Where
     * another client has it that may only {@linkplain LockOptions#withLinger keep} it, waits for up to 50 ms for that client
     * to give it back.
     *
     * @return whether the lock is held by the current thread now; never false for "could not be told"
     * @see #lock() the exceptions
     */
    @Override
    boolean tryLock();

    /**
     * Acquires the lock if it becomes free within the wait.
     *
     * @param wait zero or less for no waiting
     * @throws InterruptedException if interrupted on entry or while waiting; nothing is acquired then
     * @see #lock() the other exceptions
     */
    boolean tryLock(Duration wait) throws InterruptedException;

    /**
     * Acquires the lock if it becomes free within the wait, for the given lease, without renewal.
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
     * Ends the innermost level of the current thread's hold; the outermost releases the lock with one store call, or
     * hands it to the next waiter of this process with none.
     *
     * <p>Not interruptible; an interrupt is kept. Waits for the store's answer at most the command timeout. When none
     * comes, the hold is over for the caller all the same: a warning is logged, and the release goes on in the
     * background until it is confirmed.
     *
     * @throws LeaseLostException if the hold was lost before, or the store refuses to release it. The level is ended;
     *     the outermost such unlock clears the hold
     * @throws IllegalMonitorStateException if the current thread does not hold the lock; the text says who does, as far
     *     as this client knows
     * @throws IllegalStateException if the client was closed, which released the hold
     */
    @Override
    void unlock();

    /**
     * Runs the body while the current thread holds the lock, waiting for it like {@link #lock()}; unlocks when the body
     * ends, however it does.
     *
     * <p>What the body throws is thrown; an error of the unlock is added to it as suppressed. If the body ends well, an
     * error of the unlock is thrown: what the body did may not have been under the lock.
     *
     * @throws LeaseLostException if the hold was lost
     * @see #lock() the other exceptions, with which the body has not run
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
     * Runs the body like {@link #run}, if the lock is free within the wait.
     *
     * @param wait zero or less for no waiting
     * @return whether the body ran; false if the lock was held by others for the whole wait
     * @throws InterruptedException if interrupted on entry or while waiting; the body has not run then
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
     * @throws Exception what the body throws
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
     * Runs the body like {@link #run}, if the lock is free within the wait, and returns its result.
     *
     * @param wait zero or less for no waiting
     * @param body must not return null, which would look as if it had not run
     * @return the result; empty if the lock was held by others for the whole wait, and the body did not run
     * @throws InterruptedException if interrupted on entry or while waiting; the body has not run then
     * @throws NullPointerException if the body has run and returned null
     * @throws Exception what the body throws
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
                    Objects.requireNonNull(body.call(), () -> "lock '" + name() + "': the body returned null"));
        }
    }

    /**
     * Runs the body if the lock is free now, and keeps the lock for at least the given time, so that of several nodes that
     * start the same work at about the same time one does it.
     *
     * <p>Does not wait, and is not interruptible; an interrupt is kept. While the body runs the current thread holds the
     * lock, renewed for as long as that takes. When the body ends, also by an error, the thread holds it no more. If
     * {@code minHold} has passed then since the lock was got, it is released like by {@link #unlock}; if not, the name stays
     * taken until it has, and is released in the background.
     *
     * <p>The store knows {@code minHold} from the beginning. So the name also stays taken when the client is closed or its
     * process ends, in the body or after it. It is free then when the lease at the store ends: at {@code minHold}, or up to
     * one lease of the watchdog later, because that lease was renewed and a store never shortens one.
     *
     * <p>What the body and the unlock throw is thrown as by {@link #run}. The name is not kept after a loss.
     *
     * @param minHold 100 ms to 365 days, by this client's clock; longer than the nodes start apart, and shorter than the
     *     time to the next start, less that
     * @return whether the body ran; false if anybody else had the lock, or it was still kept
     * @throws IllegalArgumentException if {@code minHold} is out of range
     * @throws IllegalStateException if the current thread holds the lock, or the client is closed, also by the body
     * @throws IllegalMonitorStateException if the body itself ended the hold
     * @throws LeaseLostException if the hold was lost while the body ran
     * @see #lock() the other exceptions, with which the body has not run
     */
    @CanIgnoreReturnValue
    boolean runOnce(Duration minHold, Runnable body);

    /**
     * Not supported: a condition would need a queue of its own in every store.
     *
     * @throws UnsupportedOperationException always
     */
    @Override
    default Condition newCondition() {
        throw new UnsupportedOperationException(
                "lock '" + name() + "': conditions are not supported; poll, or use a queue or a latch");
    }

    /** Whether any owner of any client holds the lock. Calls the store; the answer may be old on arrival. */
    default boolean isLocked() {
        return holder().isPresent();
    }

    /**
     * Whether the current thread has the lock to unlock, as in {@link java.util.concurrent.locks.ReentrantLock}: also when
     * the hold was lost meanwhile, so that {@code if (isHeldByCurrentThread()) unlock()} does not hide a loss. Whether the
     * hold can be relied on says {@link #isValid}.
     */
    boolean isHeldByCurrentThread();

    /** How many levels the current thread has to unlock, also when the hold was lost meanwhile. */
    int holdCount();

    /** Whether the current thread holds the lock and the hold is valid: not lost, and not in doubt after a clock step. */
    boolean isValid();

    /**
     * The fencing token of the current thread's hold: greater than every token given for this name before. Re-entry
     * keeps it. Send it with each write to the protected resource, and let that resource refuse a lower one.
     *
     * @throws LeaseLostException if the hold was lost
     * @throws IllegalMonitorStateException if the current thread does not hold the lock
     */
    long fencingToken();

    /**
     * How long the current thread's hold is valid for if the store is not heard of again; zero if the hold was lost.
     *
     * @throws IllegalMonitorStateException if the current thread does not hold the lock
     */
    Duration remainingLease();

    /**
     * Who holds the lock: host, process, thread, since when, with which token. Calls the store, and asks the holder for
     * at most 200 ms; what it does not tell is empty.
     */
    Optional<LockReport.Holder> holder();

    /**
     * Takes the lock away from whoever holds it. The holder is told ({@link LockEvent.Lost}), and its unlock throws; it
     * may act for a moment longer, so only its lower fencing token protects the resource. Calls the store.
     *
     * @return whether anybody held it
     * @throws StoreUnavailableException if it was not done
     * @throws IndeterminateLockException if there was no answer; it is not tried again
     */
    @CanIgnoreReturnValue
    boolean forceUnlock();

    /**
     * Acquires a lease, waiting for as long as it takes.
     *
     * <pre>{@code
     * try (Lease lease = lock.acquire()) {
     *     ship(42, lease.token());
     * }
     * }</pre>
     *
     * @throws InterruptedException if interrupted on entry or while waiting; nothing is acquired then
     * @see #lock() the other exceptions
     */
    Lease acquire() throws InterruptedException;

    /**
     * Acquires a lease within the wait.
     *
     * @param wait zero or less for no waiting
     * @throws LockTimeoutException if the wait passed; its text says who holds the lock
     * @throws InterruptedException if interrupted on entry or while waiting; nothing is acquired then
     * @see #lock() the other exceptions
     */
    Lease acquire(Duration wait) throws InterruptedException;

    /** Acquires a lease if the lock is free now, like {@link #tryLock()}; empty if it is held. */
    Optional<Lease> tryAcquire();

    /**
     * Acquires a lease if the lock becomes free within the wait; empty otherwise.
     *
     * @param wait zero or less for no waiting
     * @throws InterruptedException if interrupted on entry or while waiting; nothing is acquired then
     * @see #lock() the other exceptions
     */
    Optional<Lease> tryAcquire(Duration wait) throws InterruptedException;

    /**
     * Acquires a lease that ends after the given time and is not renewed, if the lock becomes free within the wait.
     *
     * @param wait zero or less for no waiting
     * @param lease 100 ms to 365 days
     * @throws InterruptedException if interrupted on entry or while waiting; nothing is acquired then
     * @see #lock(Duration) the other exceptions
     */
    Optional<Lease> tryAcquire(Duration wait, Duration lease) throws InterruptedException;

    /** The lease face without blocking. */
    AsyncLock async();
}
