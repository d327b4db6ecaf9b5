package io.holdfast;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * One hot resource cut into segments, each with a lock of its own, so that as many owners work at once as there are segments.
 *
 * <pre>{@code
 * SegmentedLock shelves = holdfast.segmented("stock/42", 8);
 * while (!shelves.segments().isEmpty()) {
 *     try (SegmentLease lease = shelves.acquireAny()) {
 *         if (sellFrom(lease.segment(), lease.token())) {
 *             return true;
 *         }
 *         shelves = shelves.without(lease.segment()); // that one is sold out
 *     }
 * }
 * }</pre>
 *
 * <p><strong>Names.</strong> Segment {@code i} of {@code stock/42} is the lock {@code stock/42#i}, from {@code #0} on, which
 * anybody may use or {@link Holdfast#inspect inspect} as any other lock. Users with different numbers of segments exclude
 * each other on the segments that both have. The lock {@code stock/42} itself has nothing to do with it.
 *
 * <p><strong>Each method that takes any segment</strong>, when a segment is
 * <ul>
 *   <li>free: takes it. It begins at a random segment and asks each once, without waiting, until one is free: one store call
 *       for each, and none for those of which this process knows that they are held;
 *   <li>held by anybody, also by this thread: goes on to the next one. It is never entered again: who has all segments and
 *       asks for any waits for itself;
 *   <li>unreachable at the first round: throws {@link StoreUnavailableException} or {@link IndeterminateLockException}, as a
 *       {@link DistributedLock} does; {@link HoldfastException#lockName} says which segment. A call that already waits stays
 *       through an outage until its own time is up or {@code maxOutage} (default 30 s) has passed;
 *   <li>refused by the store: throws {@link StoreRefusedException} at once, also if others are free; go on
 *       {@link #without(int...) without} it.
 * </ul>
 *
 * <p><strong>When all are held</strong> and there is time, it waits for the segment at which the round began, in that
 * one's queue, and then asks all again: at first for 25 ms, each time for twice as long, at most for 1 s, less up to half of
 * it at random. When there is only one, it waits for that. So a call makes at most seven rounds, and two more for each
 * second that it lasts. A round is a store call for each segment; a wait is two where the store sends messages. A segment
 * that is freed while another one is awaited is found within 1 s. Who comes later may get a segment first.
 *
 * <p>Tokens rise for each segment by itself; those of different segments cannot be compared. Objects of this type hold no
 * state of a hold; they are immutable, cheap to copy, and safe for use by any thread.
 */
public interface SegmentedLock {

    /** The name, as it was given to {@link Holdfast#segmented(String, int)}. */
    String name();

    /** The segments that may be taken, ascending from 0; fewer than all after {@link #without}, and perhaps none. */
    List<Integer> segments();

    /**
     * The lock of one segment, also if it is excluded here. No store call.
     *
     * @param segment from 0 to the number of segments less one
     * @throws IllegalArgumentException if there is no such segment
     */
    DistributedLock segment(int segment);

    /**
     * The same lock for a caller who has no use for these segments, because the stock of them is empty, for example. The
     * others can still be taken; if there are none, {@link #tryAcquireAny} is empty and {@link #acquireAny} throws. A
     * call that is under way is not affected.
     *
     * @throws IllegalArgumentException if there is no such segment
     */
    SegmentedLock without(int... segments);

    /**
     * The same lock, for a caller who likes to begin with one of these segments, drawn at random, and goes on from there in
     * ascending order. Processes that begin at segments of their own meet less often, and pass them on among their threads
     * without the store. If none of them is left, or none is given, it begins anywhere.
     *
     * @throws IllegalArgumentException if there is no such segment
     */
    SegmentedLock startingAt(int... segments);

    /**
     * Acquires any segment that is free now, asking each once; empty if all are held, or none is left. Not interruptible;
     * an interrupt is kept.
     *
     * @throws StoreUnavailableException if the store did not answer for a segment; nothing is acquired
     * @throws IndeterminateLockException if it cannot be known whether a segment was acquired; it is being released
     * @throws StoreRefusedException if the store refused
     * @throws IllegalStateException if the client is closed
     */
    Optional<SegmentLease> tryAcquireAny();

    /**
     * Acquires any segment if one becomes free within the wait; empty otherwise, and at once if none is left.
     *
     * @param wait zero or less for asking each once
     * @throws InterruptedException if interrupted on entry or while waiting; nothing is acquired then
     * @see #tryAcquireAny() the other exceptions
     */
    Optional<SegmentLease> tryAcquireAny(Duration wait) throws InterruptedException;

    /**
     * Acquires any segment, waiting for as long as it takes.
     *
     * @throws IllegalStateException if no segment is left, or the client is closed
     * @throws InterruptedException if interrupted on entry or while waiting; nothing is acquired then
     * @see #tryAcquireAny() the other exceptions
     */
    SegmentLease acquireAny() throws InterruptedException;

    /**
     * Acquires any segment within the wait.
     *
     * @param wait zero or less for asking each once
     * @throws LockTimeoutException if the wait passed; its text says who holds one of them
     * @throws IllegalStateException if no segment is left, or the client is closed
     * @throws InterruptedException if interrupted on entry or while waiting; nothing is acquired then
     * @see #tryAcquireAny() the other exceptions
     */
    SegmentLease acquireAny(Duration wait) throws InterruptedException;

    /** The same without blocking. */
    AsyncSegmentedLock async();
}
