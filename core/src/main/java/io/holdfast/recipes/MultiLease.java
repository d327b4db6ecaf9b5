package io.holdfast.recipes;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.holdfast.DistributedLock;
import io.holdfast.Lease;
import io.holdfast.LeaseLostException;
import io.holdfast.StoreUnavailableException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/**
 * A hold of all members of a {@link MultiLock}, which is not tied to a thread. Any thread may use it, pass it on, and close it.
 *
 * <p>It is valid as long as every member is. If one member is lost, the others stay held until the lease is closed.
 *
 * <p>Keep a reference for as long as the hold is needed. If the lease is garbage collected without being closed, each member is
 * treated like an abandoned {@link Lease}.
 */
public interface MultiLease extends AutoCloseable {

    /** Returns the names of the members, in the order in which they were acquired. */
    List<String> names();

    /**
     * Returns the fencing token of one member.
     *
     * <p>Each member has its own token, and tokens of different members cannot be compared. Send a token with each write to the
     * resource that its member protects. It can also be read after the end of the hold.
     *
     * @param member any lock object of the same name and store
     * @throws IllegalArgumentException if the lock is not a member
     */
    long fencingToken(DistributedLock member);

    /** Returns {@code true} if every member is valid now; see {@link Lease#isValid}. */
    boolean isValid();

    /**
     * Returns the time for which the hold stays valid if no store answers again. It is the shortest time of the members, and
     * zero if the hold is not valid.
     */
    Duration remainingLease();

    /**
     * Returns only if every member is valid for at least the given time. Each member that has to be renewed is renewed with one
     * store call.
     *
     * @param atLeast the required time, from zero to the shortest lease minus its margin (1 % and 2 ms)
     * @throws IllegalArgumentException if the time is out of that range
     * @throws LeaseLostException if a member is lost, or if the hold is closed
     * @throws IllegalStateException if the hold has a fixed lease that ends earlier (extend it first)
     * @throws StoreUnavailableException if a store did not confirm in time; the hold is valid, but not for the required time
     */
    void ensureValid(Duration atLeast);

    /**
     * Registers an action for the loss of the hold. It runs once, for the first member that is lost, on the thread for losses
     * of that member's client. If the hold is already lost, it runs at once. It never runs after {@link #close}.
     */
    @CanIgnoreReturnValue
    MultiLease onLost(Consumer<LeaseLostException> action);

    /**
     * Moves the end of each member to the given time from now, but never to an earlier time. The hold must have a fixed lease,
     * that is, it was acquired with a lease argument.
     *
     * <p>The method calls each store. The interrupt status is preserved. If the call for one member throws, the members before
     * it are extended. The hold still ends when its first member ends.
     *
     * @param lease the time from now, 100 ms to 365 days
     * @throws IllegalArgumentException if the lease is out of range
     * @throws LeaseLostException if a member is lost, or if the hold is closed
     * @throws IllegalStateException if the watchdog renews the hold, so that there is nothing to extend
     * @throws StoreUnavailableException if a store did not confirm, so that the outcome at that member is unknown. A
     *     confirmation that comes later still moves its end. Without one, the member ends as before, and is then released at the
     *     store
     */
    void extend(Duration lease);

    /**
     * Releases every member, even if the release of another member throws. Does nothing if it was closed before.
     *
     * <p>The method waits for the answer of each store for at most the command timeout. If no answer arrives, it logs a
     * warning, and the release continues in the background.
     *
     * @throws LeaseLostException if a member was lost before. It names the first lost member, and the exceptions of the others
     *     are suppressed. Only the first close throws
     * @throws IllegalStateException if the client of a member was closed. The other members are released. Only the first close
     *     throws
     */
    @Override
    void close();

    /**
     * Releases every member like {@link #close}, all at once and without waiting. The future fails with the exception that
     * {@code close} would throw.
     */
    CompletableFuture<Void> closeAsync();
}
