package io.holdfast;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import java.time.Duration;

/**
 * A countdown latch that is shared by all clients of a store. Its waiters proceed when the count reaches zero.
 *
 * <pre>{@code
 * DistributedLatch loaded = holdfast.countDownLatch("loaded/42");
 * loaded.trySetCount(3, Duration.ofHours(1));
 * // each of three workers:
 * loaded.countDown();
 * // each worker that needs them all:
 * loaded.await();
 * }</pre>
 *
 * <p><b>States.</b> A latch is unset, closed (set to a count above zero), or open (its count is zero). It stays open until it
 * is set again by {@link #reset}, is {@linkplain #delete deleted}, or its time to live ends. An open latch without a time to
 * live is deleted seven days after it opened. A closed latch without one stays forever, so give a latch a time to live if it
 * must not outlive the work that needs it.
 *
 * <p><b>Waiting.</b> The store notifies the waiters when the latch opens or ends. A client also asks the store about once a
 * second while it waits. A waiter waits for the latch as it was set when the wait began. If it is then set again or deleted, or
 * its time to live ends, before it opened, the wait ends with an {@link IllegalStateException}, so a wait never hangs. If the
 * store can no longer tell whether the latch had opened, for example after it lost its data, the message of the exception says
 * so. A latch has no holder, no token and no lease.
 *
 * <p><b>Each countdown takes effect exactly once.</b> A request without an answer is retried with the same id for up to
 * {@code maxOutage}, and the store applies only one of the copies. If no answer arrives in that time, the method throws
 * {@link IndeterminateLockException}, because the outcome is unknown.
 *
 * <p><b>Each method</b> calls the store. All methods except {@code await} wait for the store's answer and ignore an interrupt
 * until they return. A method throws {@link StoreUnavailableException} if the store did not answer within the command timeout.
 * It throws {@link StoreRefusedException} if the store refused, and {@link IllegalStateException} if the client is closed. A
 * latch is independent of a lock or a semaphore with the same name.
 */
public interface DistributedLatch {

    /** Returns the name of this latch. */
    String name();

    /**
     * Sets the latch to the given count if it is not set.
     *
     * @param count the count, at least 1
     * @return {@code true} if this call set the latch; {@code false} if it was already closed or open (see {@link #count}), and
     *     was not changed
     * @throws IllegalArgumentException if the count is less than 1
     */
    @CanIgnoreReturnValue
    boolean trySetCount(int count);

    /**
     * Sets the latch to the given count for a limited time to live, if it is not set.
     *
     * @param count the count, at least 1
     * @param life the time to live: the time from now after which the latch is no longer set, open or not, 100 ms to 365 days
     * @return {@code true} if this call set the latch; {@code false} if it was already closed or open, and keeps its count and
     *     its time to live
     * @throws IllegalArgumentException if the count is less than 1, or if the time to live is out of range
     */
    @CanIgnoreReturnValue
    boolean trySetCount(int count, Duration life);

    /**
     * Counts the latch down by one. Does nothing if the latch is open.
     *
     * @throws IllegalStateException if the latch is not set
     */
    void countDown();

    /**
     * Counts the latch down by the given number, to zero at the lowest. Does nothing if the latch is open.
     *
     * @param count the number to count down by, at least 1
     * @throws IllegalArgumentException if the count is less than 1
     * @throws IllegalStateException if the latch is not set
     */
    void countDown(int count);

    /** Returns the current count. It is 0 if the latch is open or not set. */
    int count();

    /**
     * Waits until the latch is open, however long that takes. During an outage of the store the wait continues for up to
     * {@code maxOutage}.
     *
     * @throws InterruptedException if the current thread is interrupted on entry or while waiting
     * @throws IllegalStateException if the latch is not set; or if it was set again or deleted, or its time to live ended,
     *     before it opened
     */
    void await() throws InterruptedException;

    /**
     * Waits until the latch is open, or until the time is up.
     *
     * @param wait the maximum time to wait; zero or less means to ask once
     * @return {@code true} if the latch is open; {@code false} if the time is up
     * @throws InterruptedException if the current thread is interrupted on entry or while waiting
     * @throws IllegalStateException if the latch is not set; or if it was set again or deleted, or its time to live ended,
     *     before it opened
     */
    boolean await(Duration wait) throws InterruptedException;

    /**
     * Sets the latch to the given count, whatever its state, without a time to live. Waiters for the previous setting receive
     * an {@link IllegalStateException} at once, unless the latch was already open.
     *
     * @param count the count, at least 1
     * @throws IllegalArgumentException if the count is less than 1
     */
    void reset(int count);

    /**
     * Deletes the latch. Its waiters receive an {@link IllegalStateException} at once, unless the latch was already open.
     *
     * @return {@code true} if the latch was set
     */
    @CanIgnoreReturnValue
    boolean delete();

    /** Returns the asynchronous API for waiting. */
    AsyncLatch async();
}
