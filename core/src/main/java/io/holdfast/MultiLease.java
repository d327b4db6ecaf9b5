package io.holdfast;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/**
 * A hold of all members of a {@link MultiLock}, tied to no thread: any thread may use, pass on and close it.
 *
 * <p>It is valid as long as every member is. When one is lost the others are kept until it is closed.
 *
 * <p>Keep a reference for as long as the hold is needed. If it is garbage collected unclosed, each member is treated like a
 * forgotten {@link Lease}.
 */
public interface MultiLease extends AutoCloseable {

    /** The names of the members, in the order in which they were taken. */
    List<String> lockNames();

    /**
     * The fencing token of one member; each has its own, and they cannot be compared with each other. Send it with each
     * write to what that member protects. Readable also after the end.
     *
     * @param member any lock object of the same name and store
     * @throws IllegalArgumentException if it is not a member
     */
    long token(DistributedLock member);

    /** Whether every member is valid now: see {@link Lease#isValid}. */
    boolean isValid();

    /** How long the hold is valid for if no store is heard of again: the shortest of its members; zero if it is not valid. */
    Duration remaining();

    /**
     * Returns only if every member is valid for at least the given time; renews each with one store call that must be.
     *
     * @param atLeast zero to the shortest lease less its margin (1 % and 2 ms)
     * @throws IllegalArgumentException if the time is out of that range
     * @throws LeaseLostException if a member is lost, or the hold is closed
     * @throws IllegalStateException if it was acquired with a time of its own that ends earlier
     * @throws StoreUnavailableException if a store did not confirm in time; the hold is valid, but not for that long
     */
    void ensureValid(Duration atLeast);

    /**
     * Registers what to run when the hold is lost: once, for the first member that is, on the thread for losses of that
     * member's client; at once if it is lost already; never after {@link #close}.
     */
    @CanIgnoreReturnValue
    MultiLease onLost(Consumer<LeaseLostException> action);

    /**
     * Moves the end of each member of a lease that was acquired with a time of its own to {@code lease} from now; never to
     * an earlier time. Calls each store; an interrupt is kept. When one throws, those before it are extended, and the hold
     * ends with the first member as before.
     *
     * @param lease 100 ms to 365 days
     * @throws IllegalArgumentException if the lease is out of range
     * @throws LeaseLostException if a member is lost, or the hold is closed
     * @throws IllegalStateException if the watchdog renews it, so that there is nothing to extend
     * @throws StoreUnavailableException if a store did not confirm
     */
    void extend(Duration lease);

    /**
     * Releases every member, also when that of another one throws; does nothing if closed before. Waits for each store's
     * answer at most the command timeout, then goes on in the background with a warning.
     *
     * @throws LeaseLostException if a member was lost before; it names the first one, and what the others threw is
     *     suppressed; only the first close throws
     * @throws IllegalStateException if the client of a member was closed, and the others are released; only the first
     *     close throws
     */
    @Override
    void close();

    /** Releases every member like {@link #close}, all at once and without waiting; fails with what close would throw. */
    CompletableFuture<Void> closeAsync();
}
