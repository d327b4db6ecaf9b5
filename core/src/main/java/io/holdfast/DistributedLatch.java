package io.holdfast;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import java.time.Duration;

/**
 * A count that goes down to zero, over all clients of a store; who waits for that goes on then.
 *
 * <pre>{@code
 * DistributedLatch loaded = holdfast.countDownLatch("loaded/42");
 * loaded.trySetCount(3, Duration.ofHours(1));
 * // each of three workers:
 * loaded.countDown();
 * // whoever needs them all:
 * loaded.await();
 * }</pre>
 *
 * <p><b>A latch</b> is not set, or set to a count, or open, when it was counted down to zero. It stays open until it is set anew
 * by {@link #reset}, is {@linkplain #delete deleted}, or its life is over; without a life of its own it goes seven days after it
 * opened. One that nobody opens and that has no life stays: give it one, so that it does not outlive those who need it.
 *
 * <p><b>Who waits</b> is told by the store when the latch opens or goes, and asks about once a second in any case. It waits for the
 * latch as it was set when the wait began: when that is set anew or deleted, or its life is over, before it opened, the wait ends
 * with an {@link IllegalStateException}, and never hangs. The text says so if the store does not know any more whether the latch
 * had opened, as when it has lost its data. Tokens and leases have no part in a latch: it is held by nobody.
 *
 * <p><b>Each count is counted once.</b> A request whose answer was lost is sent again under the same id for up to {@code maxOutage},
 * and the store counts one of them; after that {@link IndeterminateLockException} says that it cannot be known.
 *
 * <p><b>Each method</b> calls the store; all but {@code await} wait for its answer and keep an interrupt for later. It throws
 * {@link StoreUnavailableException} if the store did not answer within the command timeout, {@link StoreRefusedException} if it
 * refused, and {@link IllegalStateException} if the client is closed. A name of a latch has nothing to do with a lock or a
 * semaphore of the same name.
 */
public interface DistributedLatch {

    /** The name. */
    String name();

    /**
     * Sets the latch to that count, if it is not set.
     *
     * @param count at least 1
     * @return whether it was not set; if false it is as it was, perhaps open, as {@link #count} tells
     * @throws IllegalArgumentException if the count is less
     */
    @CanIgnoreReturnValue
    boolean trySetCount(int count);

    /**
     * Sets the latch to that count, if it is not set, for that long at most.
     *
     * @param count at least 1
     * @param life after which it is not set any more, open or not: 100 ms to 365 days from now
     * @return whether it was not set; if false it is as it was, and lives as long as it would have
     * @throws IllegalArgumentException if the count is less, or the life is out of range
     */
    @CanIgnoreReturnValue
    boolean trySetCount(int count, Duration life);

    /**
     * Counts down by one; does nothing to an open latch.
     *
     * @throws IllegalStateException if the latch is not set
     */
    void countDown();

    /**
     * Counts down by so many, at most to zero; does nothing to an open latch.
     *
     * @param count at least 1
     * @throws IllegalArgumentException if the count is less
     * @throws IllegalStateException if the latch is not set
     */
    void countDown(int count);

    /** How often it is still to be counted down; 0 if it is open, or not set. */
    int count();

    /**
     * Waits until the latch is open, for as long as it takes; through an outage of the store for up to {@code maxOutage}.
     *
     * @throws InterruptedException if interrupted on entry or while waiting
     * @throws IllegalStateException if the latch is not set; or was set anew or deleted, or its life was over, before it opened
     */
    void await() throws InterruptedException;

    /**
     * Waits until the latch is open, for that long at most.
     *
     * @param wait zero or less for asking once
     * @return whether it is open; if not, the time has passed
     * @throws InterruptedException if interrupted on entry or while waiting
     * @throws IllegalStateException if the latch is not set; or was set anew or deleted, or its life was over, before it opened
     */
    boolean await(Duration wait) throws InterruptedException;

    /**
     * Sets the latch to that count, whatever it was, and for as long as it takes. Who waits for it as it was before gets an
     * {@link IllegalStateException} at once, unless it had opened.
     *
     * @param count at least 1
     * @throws IllegalArgumentException if the count is less
     */
    void reset(int count);

    /**
     * Forgets the latch. Who waits for it gets an {@link IllegalStateException} at once.
     *
     * @return whether it was set
     */
    @CanIgnoreReturnValue
    boolean delete();

    /** Waiting without blocking. */
    AsyncLatch async();
}
