package io.holdfast.recipes;

import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import io.holdfast.HoldfastException;
import io.holdfast.IndeterminateLockException;
import io.holdfast.LockOptions;
import io.holdfast.LockTimeoutException;
import io.holdfast.StoreRefusedException;
import io.holdfast.StoreUnavailableException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * A lock for one hot resource that is divided into segments with a lock each. As many owners can work at once as there are
 * segments.
 *
 * <pre>{@code
 * SegmentedLock shelves = SegmentedLock.of(holdfast, "stock/42", 8);
 * while (!shelves.segments().isEmpty()) {
 *     try (SegmentLease lease = shelves.acquireAny()) {
 *         if (sellFrom(lease.segment(), lease.fencingToken())) {
 *             return true;
 *         }
 *         shelves = shelves.without(lease.segment()); // that one is sold out
 *     }
 * }
 * }</pre>
 *
 * <p><strong>Names.</strong> Segment {@code i} of {@code stock/42} is the lock {@code stock/42#i}, beginning with {@code #0}.
 * Any caller can use or {@link Holdfast#inspect inspect} it like any other lock. Users with different numbers of segments
 * exclude each other on the segments that both have. The lock {@code stock/42} itself is independent of the segments.
 *
 * <p><strong>Each method that acquires any segment</strong> begins at a random segment, and asks for each once, without
 * waiting, until one is free. It makes one store call for each segment, and none for a segment that this process knows to be
 * held. If a segment is
 * <ul>
 *   <li>free: the method acquires it;
 *   <li>held by any owner, including the current thread: the method continues with the next one. A segment is never reentrant.
 *       A thread that holds all segments and acquires another one waits for itself;
 *   <li>unreachable in the first round: the method throws {@link StoreUnavailableException} or
 *       {@link IndeterminateLockException}, like a {@link DistributedLock}. {@link HoldfastException#name} names the
 *       segment. A call that already waits continues to wait until its own time is up, or until {@code maxOutage} (default
 *       30 s) has passed;
 *   <li>refused by the store: the method throws {@link StoreRefusedException} at once, even if others are free. Continue
 *       {@link #without(int...) without} that segment.
 * </ul>
 *
 * <p><strong>If all segments are held</strong> and there is time left, the method waits in the queue of the segment at which
 * the round began. Then it asks for all segments again. It waits 25 ms at first, and twice as long each time, up to 1 s. Each
 * wait is shortened at random by up to half. If there is only one segment, the method waits for it. So a call makes at most
 * seven rounds, and two more for each second that it lasts. A round costs one store call for each segment. A wait costs two if
 * the store sends messages. A segment that is released while the method waits for another one is found within 1 s. A later
 * caller may acquire a segment first.
 *
 * <p>Tokens rise for each segment separately, and tokens of different segments cannot be compared. Objects of this type have no
 * state of their own. They are immutable, cheap to copy, and safe for use by any thread.
 */
public interface SegmentedLock {

    /**
     * Returns a lock for the resource of the given name, divided into segments with one lock each. Makes no store call.
     *
     * @param client the client that acquires the segments
     * @param name any text that is still a valid lock name when {@code #} and the number of a segment are added
     * @param segments the number of segments, 1 to 1024
     * @throws IllegalArgumentException if the name or the number breaks these rules
     * @throws IllegalStateException if the client is closed
     */
    static SegmentedLock of(Holdfast client, String name, int segments) {
        return of(client, name, segments, LockOptions.defaults());
    }

    /**
     * Returns a lock for the resource of the given name, divided into segments whose locks have the given options.
     *
     * @throws IllegalArgumentException if the name leaves no room for {@code #} and a number; if the number of segments is not
     *     1 to 1024; or if the options have a linger
     * @throws IllegalStateException if the client is closed
     */
    static SegmentedLock of(Holdfast client, String name, int segments, LockOptions options) {
        return ClientSegmentedLock.of(client, name, segments, options);
    }

    /** Returns the name of the resource. */
    String name();

    /** Returns the segments that can be acquired, in ascending order from 0. After {@link #without} they are fewer, or none. */
    List<Integer> segments();

    /**
     * Returns the lock of one segment, even if the segment is excluded here. Makes no store call.
     *
     * @param segment the segment, from 0 to the number of segments minus one
     * @throws IllegalArgumentException if there is no such segment
     */
    DistributedLock segment(int segment);

    /**
     * Returns a copy of this lock that does not acquire the given segments, for example because their stock is sold out.
     *
     * <p>The other segments can still be acquired. If none is left, {@link #tryAcquireAny} returns an empty result, and
     * {@link #acquireAny} throws. A call that is under way is not affected.
     *
     * @throws IllegalArgumentException if there is no such segment
     */
    SegmentedLock without(int... segments);

    /**
     * Returns a copy of this lock that begins at one of the given segments, chosen at random, and continues in ascending order.
     *
     * <p>Processes that begin at segments of their own contend less often, and hand their segments over among their threads
     * without the store. If none of the given segments is left, or none is given, the lock begins at any segment.
     *
     * @throws IllegalArgumentException if there is no such segment
     */
    SegmentedLock startingAt(int... segments);

    /**
     * Acquires any segment that is free now, and asks for each once. Returns an empty result if all segments are held, or none
     * is left. The method is not interruptible, and preserves the interrupt status.
     *
     * @throws StoreUnavailableException if the store did not answer for a segment; nothing is acquired
     * @throws IndeterminateLockException if it is not known whether a segment was acquired; any grant is released in the
     *     background
     * @throws StoreRefusedException if the store refused the request
     * @throws IllegalStateException if the client is closed
     */
    Optional<SegmentLease> tryAcquireAny();

    /**
     * Acquires any segment if one becomes free within the given time. Otherwise, returns an empty result. If no segment is
     * left, it does so at once.
     *
     * @param wait the maximum time to wait; zero or less means to ask for each segment once
     * @throws InterruptedException if the current thread is interrupted on entry or while waiting; nothing is acquired
     * @see #tryAcquireAny() the other exceptions
     */
    Optional<SegmentLease> tryAcquireAny(Duration wait) throws InterruptedException;

    /**
     * Acquires any segment, waiting for as long as it takes.
     *
     * @throws IllegalStateException if no segment is left, or if the client is closed
     * @throws InterruptedException if the current thread is interrupted on entry or while waiting; nothing is acquired
     * @see #tryAcquireAny() the other exceptions
     */
    SegmentLease acquireAny() throws InterruptedException;

    /**
     * Acquires any segment within the given time.
     *
     * @param wait the maximum time to wait; zero or less means to ask for each segment once
     * @throws LockTimeoutException if the time is up; its text names the holder of one of the segments
     * @throws IllegalStateException if no segment is left, or if the client is closed
     * @throws InterruptedException if the current thread is interrupted on entry or while waiting; nothing is acquired
     * @see #tryAcquireAny() the other exceptions
     */
    SegmentLease acquireAny(Duration wait) throws InterruptedException;

    /** Returns the asynchronous API of this lock. */
    AsyncSegmentedLock async();
}
