package io.holdfast;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/**
 * A hold of a lock that is not tied to a thread. Any thread may use it, pass it on, and close it.
 *
 * <p>Keep a reference for as long as the hold is needed. A lease that is garbage collected without being closed is treated like
 * a crash. It is no longer renewed, {@link LockEvent.Abandoned} is raised, and others can acquire the lock when the lease ends.
 */
public interface Lease extends AutoCloseable {

    /** Returns the name of the lock. */
    String name();

    /**
     * Returns the fencing token, which is greater than every token that was issued for this name before. It can also be read
     * after the end of the hold.
     */
    long fencingToken();

    /**
     * Returns {@code true} if the hold is valid now.
     *
     * <p>The result is {@code false} after {@link #close} and after a loss. It is also {@code false} while a clock step or a
     * suspended machine puts the hold in doubt, until the store has confirmed it.
     */
    boolean isValid();

    /**
     * Returns the time for which the hold stays valid if the store does not answer again. It is zero if the hold is not valid.
     *
     * <p>The hold is valid for the lease, less a safety margin (1 % of the lease plus 2 ms), counted from the moment at which
     * the last confirmed request was <em>sent</em>.
     */
    Duration remainingLease();

    /**
     * Returns only if the hold is valid for at least the given time. If necessary, it renews the hold with one store call.
     *
     * <p>Call it before a step that cannot be undone. This is a check, not a fence. A pause directly after the check is
     * harmless only if the resource refuses old tokens.
     *
     * @param atLeast the required time, from zero to the lease minus its margin (1 % and 2 ms). If a fixed lease was extended,
     *     the longest lease so far counts
     * @throws IllegalArgumentException if the time is out of that range
     * @throws LeaseLostException if the hold is lost or closed
     * @throws IllegalStateException if the hold has a fixed lease that ends earlier (extend it first), or if it is no longer
     *     renewed because of its {@code maxHold}
     * @throws StoreUnavailableException if the store did not confirm; the hold is valid, but not for the required time
     */
    void ensureValid(Duration atLeast);

    /**
     * Registers an action for the loss of the hold. It runs once, at the latest when the validity ends. If the hold is already
     * lost, it runs at once. It never runs after {@link #close}.
     *
     * <p>All actions of a client run one after the other, on a thread that has no other task. So an action that blocks delays
     * only the actions for other losses of the same client. It does not delay a renewal, a release or a loss of any lock, or
     * the end of a leadership. The lease keeps its actions, which may refer to it. If a lease is garbage collected without
     * being closed, its actions do not run.
     */
    @CanIgnoreReturnValue
    Lease onLost(Consumer<LeaseLostException> action);

    /**
     * Moves the end of this hold to the given time from now, but never to an earlier time. The hold must have a fixed lease,
     * that is, it was acquired with a lease argument.
     *
     * <p>The method calls the store, and waits for its answer for at most the command timeout. The interrupt status is
     * preserved.
     *
     * @param lease the time from now, 100 ms to 365 days
     * @throws IllegalArgumentException if the lease is out of range
     * @throws LeaseLostException if the hold is lost or closed
     * @throws IllegalStateException if the watchdog renews the hold, so that there is nothing to extend; or if its end is fixed
     *     because of its {@code maxHold}, by {@link OnMaxHold#STOP_RENEWING}
     * @throws StoreUnavailableException if the store did not confirm, so that the outcome is unknown. A confirmation that comes
     *     later still moves the end. Without one, the hold ends as before, and is then released at the store
     */
    void extend(Duration lease);

    /**
     * Releases the lock. If another caller has begun to close the lease, waits until that release is known, and does nothing else.
     *
     * <p>The method calls the store, or hands the lock over to the next waiter of this process. It waits for the answer for at
     * most the command timeout. If no answer arrives, it logs a warning, and the release continues in the background.
     *
     * @throws LeaseLostException if the hold was lost before, or if the store refuses to release it; only the first close
     *     throws
     * @throws IllegalStateException if the client was closed, which released the hold; only the first close throws
     */
    @Override
    void close();

    /**
     * Releases the lock like {@link #close}, without waiting. The future fails with the exception that {@code close} would
     * throw.
     */
    CompletableFuture<Void> closeAsync();
}
