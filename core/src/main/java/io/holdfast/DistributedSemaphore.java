package io.holdfast;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * A number of permits, shared by all clients of a store: whoever has some may go on, the others wait.
 *
 * <pre>{@code
 * DistributedSemaphore downloads = holdfast.semaphore("downloads");
 * downloads.trySetPermits(8); // by whoever comes first
 * try (Permit permit = downloads.acquire()) {
 *     download(42);
 * }
 * }</pre>
 *
 * <p><b>Permits are leases.</b> Each {@link Permit} is renewed for as long as its owner lives, and comes back by itself, within
 * its lease, when its process dies. So a permit can be lost, like any {@link Lease}, and tells so. It is tied to no thread and
 * is closed by whoever has it, once; to close it again does nothing. There are never more permits out than the semaphore was
 * given, as long as the store keeps what it acknowledged.
 *
 * <p><b>When too few are free</b> a call waits: in the order of arrival at the store, until so many are free as the first in the
 * queue wants. Somebody who comes later and wants no more than is free may take it before those who wait; with
 * {@link Holdfast#fairSemaphore} nobody does. A call that is interrupted, or whose time is up, leaves nothing behind.
 *
 * <p><b>Each method that acquires</b> calls the store, and throws
 * <ul>
 *   <li>{@link StoreRefusedException} if the semaphore was never given permits, or has fewer in all than are asked for, also if
 *       that becomes so while it waits;
 *   <li>{@link StoreUnavailableException} if the store did not answer within the command timeout; nothing is acquired. A call
 *       that already waits stays through an outage until its own time is up or {@code maxOutage} (default 30 s) has passed;
 *   <li>{@link IndeterminateLockException} if it cannot be known whether permits were acquired; they are being released;
 *   <li>{@link IllegalStateException} if the client is closed.
 * </ul>
 *
 * <p><b>Each method that sets or asks</b> how many there are calls the store, waits for its answer, and keeps an interrupt for
 * later. One that sets is repeated with the same effect as once while no answer comes, up to {@code maxOutage}; after that it
 * throws {@link IndeterminateLockException}.
 *
 * <p>A name of a semaphore has nothing to do with a lock of the same name. Tokens rise for each name by itself.
 */
public interface DistributedSemaphore {

    /** The name. */
    String name();

    // ---- how many there are

    /**
     * Gives the semaphore so many permits in all, unless it was given some before: the first one wins.
     *
     * @param permits at least 1
     * @return whether this was the first
     * @throws IllegalArgumentException if there are fewer
     */
    @CanIgnoreReturnValue
    boolean trySetPermits(int permits);

    /**
     * Lets the semaphore have so many permits in all, whatever it had. Fewer than are held take nothing away from anybody: as
     * they come back they are given to nobody, until there are no more than these.
     *
     * @param permits at least 1
     * @throws IllegalArgumentException if there are fewer
     */
    void setPermits(int permits);

    /**
     * Lets the semaphore have so many permits more, or fewer if the number is negative, as {@link #setPermits} does.
     *
     * @throws StoreRefusedException if it was never given permits, or if fewer than 1 or more than an {@code int} would be left
     */
    void addPermits(int delta);

    /** How many permits there are in all; 0 if the semaphore was never given some. */
    int permits();

    /** How many permits are free; negative by as many as are held above {@link #permits}, after that was made smaller. */
    int available();

    /** Who holds permits now, in no order. */
    List<PermitHolder> holders();

    /**
     * Forgets how many permits there are, unless somebody holds or awaits some; what was given to a semaphore is kept for ever
     * otherwise.
     *
     * @return whether it was forgotten
     */
    boolean delete();

    // ---- taking some

    /**
     * Acquires one permit, waiting for as long as it takes.
     *
     * @throws InterruptedException if interrupted on entry or while waiting; nothing is acquired then
     */
    Permit acquire() throws InterruptedException;

    /**
     * Acquires so many permits as one, waiting for as long as it takes.
     *
     * @param permits at least 1
     * @throws IllegalArgumentException if there are fewer
     * @throws InterruptedException if interrupted on entry or while waiting; nothing is acquired then
     */
    Permit acquire(int permits) throws InterruptedException;

    /** Acquires one permit if one is free now; empty otherwise. Not interruptible; an interrupt is kept. */
    Optional<Permit> tryAcquire();

    /**
     * Acquires so many permits as one if they are free now; empty otherwise. Not interruptible; an interrupt is kept.
     *
     * @param permits at least 1
     * @throws IllegalArgumentException if there are fewer
     */
    Optional<Permit> tryAcquire(int permits);

    /**
     * Acquires so many permits as one if they become free within the wait; empty otherwise.
     *
     * @param permits at least 1
     * @param wait zero or less for no waiting
     * @throws IllegalArgumentException if there are fewer
     * @throws InterruptedException if interrupted on entry or while waiting; nothing is acquired then
     */
    Optional<Permit> tryAcquire(int permits, Duration wait) throws InterruptedException;

    /**
     * Acquires so many permits as one that ends after the given time and is not renewed, if they become free within the wait;
     * empty otherwise.
     *
     * @param permits at least 1
     * @param wait zero or less for no waiting
     * @param lease 100 ms to 365 days
     * @throws IllegalArgumentException if there are fewer permits, or the lease is out of range
     * @throws InterruptedException if interrupted on entry or while waiting; nothing is acquired then
     */
    Optional<Permit> tryAcquire(int permits, Duration wait, Duration lease) throws InterruptedException;

    /**
     * Acquires all permits that are free now, as one; empty if none are. Not interruptible; an interrupt is kept. What others
     * hold is not touched.
     */
    Optional<Permit> drain();

    /**
     * Gives back a permit whoever holds it, told by its {@link Permit#id}, as {@link DistributedLock#forceUnlock} does: the
     * holder is told that it has lost it, but may act for a moment longer.
     *
     * @throws IllegalArgumentException if it is no id of a permit
     * @throws IllegalMonitorStateException if no such permit is held; nothing is changed, and no permit is made by it
     * @throws StoreUnavailableException if the store did not answer
     * @throws IndeterminateLockException if it cannot be known whether it was given back
     */
    void release(String id);

    /** The methods that acquire, without blocking. */
    AsyncSemaphore async();
}
