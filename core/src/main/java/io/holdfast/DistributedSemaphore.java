package io.holdfast;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * A semaphore that is shared by all clients of a store. The holders of its permits proceed, and others wait.
 *
 * <pre>{@code
 * DistributedSemaphore downloads = holdfast.semaphore("downloads");
 * downloads.trySetPermits(8); // the first client sets the number
 * try (Permit permit = downloads.acquire()) {
 *     download(42);
 * }
 * }</pre>
 *
 * <p><b>Permits are leases.</b> A {@link Permit} is renewed for as long as its owner lives. If the process of the owner dies,
 * the permit returns to the semaphore within its lease. So a permit can be lost, like any {@link Lease}, and the loss is
 * reported. A permit is not tied to a thread. Its owner closes it once; closing it again does nothing. The number of held
 * permits never exceeds the number of permits of the semaphore, as long as the store keeps what it acknowledged.
 *
 * <p><b>If too few permits are free,</b> a call waits. The store assigns permits to waiters in the order in which they arrived.
 * The first waiter in the queue is assigned its permits as soon as enough are free, and until then blocks the waiters behind
 * it. A later caller may barge ahead of them and acquire free permits, if it wants no more than are free. With
 * {@link Holdfast#fairSemaphore}, it may not. A call that is interrupted or times out leaves no position in the queue and holds
 * nothing.
 *
 * <p><b>Each method that acquires</b> calls the store, and throws
 * <ul>
 *   <li>{@link StoreRefusedException} if the semaphore has not been given permits, or has fewer permits in all than the call
 *       asks for. This also applies if the number changes during the wait;
 *   <li>{@link StoreUnavailableException} if the store did not answer within the command timeout. Nothing is acquired. A call
 *       that already waits continues to wait until its own time is up, or until {@code maxOutage} (default 30 s) has passed;
 *   <li>{@link IndeterminateLockException} if it is not known whether permits were acquired. Any grant is released in the
 *       background;
 *   <li>{@link IllegalStateException} if the client is closed.
 * </ul>
 *
 * <p><b>Each method that sets or reads</b> the number of permits calls the store and waits for its answer. It is not
 * interruptible, and preserves the interrupt status. If no answer arrives, a method that sets the number sends the request
 * again for up to {@code maxOutage}. All copies have the effect of one request. After that time, the method throws
 * {@link IndeterminateLockException}.
 *
 * <p>A semaphore is independent of a lock with the same name. Tokens rise for each name separately.
 */
public interface DistributedSemaphore {

    /** Returns the name of this semaphore. */
    String name();

    // ---- number of permits

    /**
     * Gives the semaphore the given number of permits in all, unless it already has a number of permits. The first call wins.
     *
     * @param permits the number of permits, at least 1
     * @return {@code true} if this call set the number
     * @throws IllegalArgumentException if the number is less than 1
     */
    @CanIgnoreReturnValue
    boolean trySetPermits(int permits);

    /**
     * Sets the number of permits in all, whatever it was.
     *
     * <p>If the number is smaller than the number of held permits, their holders keep them. Permits that are released are then
     * not assigned, until no more permits are held than the semaphore has.
     *
     * @param permits the number of permits, at least 1
     * @throws IllegalArgumentException if the number is less than 1
     */
    void setPermits(int permits);

    /**
     * Adds the given number of permits, or removes permits if the number is negative. Held permits are treated as in
     * {@link #setPermits}.
     *
     * @throws StoreRefusedException if the semaphore has not been given permits, or if the sum would be less than 1 or too
     *     large for an {@code int}
     */
    void addPermits(int delta);

    /** Returns the number of permits in all, or 0 if the semaphore has not been given permits. */
    int permits();

    /**
     * Returns the number of free permits. It is negative if more permits are held than {@link #permits}, after that number was
     * reduced.
     */
    int available();

    /** Returns the current holders of permits, in no particular order. */
    List<PermitHolder> holders();

    /**
     * Deletes the number of permits, unless permits are held or awaited. Without this call the store keeps the number forever.
     *
     * @return {@code true} if the number was deleted
     */
    boolean delete();

    // ---- acquiring

    /**
     * Acquires one permit, waiting for as long as it takes.
     *
     * @throws InterruptedException if the current thread is interrupted on entry or while waiting; nothing is acquired
     */
    Permit acquire() throws InterruptedException;

    /**
     * Acquires the given number of permits as one lease, waiting for as long as it takes.
     *
     * @param permits the number of permits, at least 1
     * @throws IllegalArgumentException if the number is less than 1
     * @throws InterruptedException if the current thread is interrupted on entry or while waiting; nothing is acquired
     */
    Permit acquire(int permits) throws InterruptedException;

    /**
     * Acquires one permit if one is free now. Otherwise, returns an empty result. The method is not interruptible, and
     * preserves the interrupt status.
     */
    Optional<Permit> tryAcquire();

    /**
     * Acquires the given number of permits as one lease if they are free now. Otherwise, returns an empty result. The method is
     * not interruptible, and preserves the interrupt status.
     *
     * @param permits the number of permits, at least 1
     * @throws IllegalArgumentException if the number is less than 1
     */
    Optional<Permit> tryAcquire(int permits);

    /**
     * Acquires the given number of permits as one lease, if they become free within the given time. Otherwise, returns an empty
     * result.
     *
     * @param permits the number of permits, at least 1
     * @param wait the maximum time to wait; zero or less means not to wait
     * @throws IllegalArgumentException if the number is less than 1
     * @throws InterruptedException if the current thread is interrupted on entry or while waiting; nothing is acquired
     */
    Optional<Permit> tryAcquire(int permits, Duration wait) throws InterruptedException;

    /**
     * Acquires the given number of permits as one lease, if they become free within the wait. The lease ends after the given
     * time and is not renewed. If the permits do not become free, returns an empty result.
     *
     * @param permits the number of permits, at least 1
     * @param wait the maximum time to wait; zero or less means not to wait
     * @param lease the lease, 100 ms to 365 days
     * @throws IllegalArgumentException if the number is less than 1, or if the lease is out of range
     * @throws InterruptedException if the current thread is interrupted on entry or while waiting; nothing is acquired
     */
    Optional<Permit> tryAcquire(int permits, Duration wait, Duration lease) throws InterruptedException;

    /**
     * Acquires all permits that are free now, as one lease. Returns an empty result if no permit is free.
     *
     * <p>The method is not interruptible, and preserves the interrupt status. Permits that others hold are not affected.
     */
    Optional<Permit> drain();

    /**
     * Takes the permit with the given {@link Permit#id} away from its holder, like {@link DistributedLock#forceUnlock}. The
     * holder is notified of the loss, but may act for a moment longer.
     *
     * @throws IllegalArgumentException if the text is not the id of a permit
     * @throws IllegalMonitorStateException if no permit with this id is held; nothing is changed, and no permit is created
     * @throws StoreUnavailableException if the store did not answer
     * @throws IndeterminateLockException if it is not known whether the permit was released
     */
    void release(String id);

    /** Returns the asynchronous API for acquiring permits. */
    AsyncSemaphore async();
}
