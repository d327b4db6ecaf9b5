package io.holdfast;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/**
 * A hold of a lock that is tied to no thread: any thread may use, pass on and close it.
 *
 * <p>Keep a reference for as long as the hold is needed. A lease that is garbage collected unclosed is treated like a
 * crash: it is renewed no more, {@link LockEvent.Abandoned} is raised, and others get the lock when its time ends.
 */
public interface Lease extends AutoCloseable {

    /** The name of the lock. */
    String lockName();

    /** The fencing token: greater than every token given for this name before. Readable also after the end. */
    long token();

    /**
     * Whether the hold is valid now. False after {@link #close}, after a loss, and while a stepped clock or a suspended
     * machine leaves it in doubt, until the store has confirmed it.
     */
    boolean isValid();

    /**
     * How long the hold is valid for if the store is not heard of again: the lease since the last confirmed request was
     * sent, less a margin of 1 % and 2 ms. Zero if it is not valid.
     */
    Duration remaining();

    /**
     * Returns only if the hold is valid for at least the given time; renews it with one store call if it must.
     *
     * <p>Call it before a step that cannot be undone. It is a check, not a fence: only a resource that refuses old
     * tokens is safe from a pause right behind it.
     *
     * @param atLeast zero to the lease less its margin (1 % and 2 ms); the longest one counts that it was acquired for or
     *     extended by
     * @throws IllegalArgumentException if the time is out of that range
     * @throws LeaseLostException if the hold is lost or closed
     * @throws IllegalStateException if it was acquired with a time of its own that ends earlier, or is renewed no more
     *     since its {@code maxHold}
     * @throws StoreUnavailableException if the store did not confirm; the hold is valid, but not for that long
     */
    void ensureValid(Duration atLeast);

    /**
     * Registers an action for the loss of the hold. It runs once, at the latest when the validity ends, or at once if the hold is
     * lost already; never after {@link #close}. All actions of a client run one after the other, on a thread that does nothing else.
     * So an action that blocks delays the actions for other losses of the same client, and nothing else: not the renewal, release or loss
     * of any lock, nor the end of a leadership. The lease keeps its actions, which may refer to it; the actions of a lease that is
     * garbage collected unclosed do not run.
     */
    @CanIgnoreReturnValue
    Lease onLost(Consumer<LeaseLostException> action);

    /**
     * Moves the end of a lease that was acquired with a time of its own to {@code lease} from now; never to an earlier
     * time. Calls the store, and waits for its answer at most the command timeout; an interrupt is kept.
     *
     * @param lease 100 ms to 365 days
     * @throws IllegalArgumentException if the lease is out of range
     * @throws LeaseLostException if the hold is lost or closed
     * @throws IllegalStateException if the watchdog renews it, so that there is nothing to extend; or if its end stays
     *     where it is since its {@code maxHold}, by {@link OnMaxHold#STOP_RENEWING}
     * @throws StoreUnavailableException if the store did not confirm; the end is where it was, or where another extension
     *     has moved it
     */
    void extend(Duration lease);

    /**
     * Releases the lock; does nothing if closed before. Calls the store, or hands the lock to the next waiter of this
     * process. Waits for the answer at most the command timeout, then goes on in the background with a warning.
     *
     * @throws LeaseLostException if the hold was lost before, or the store refuses to release it; only the first close
     *     throws
     * @throws IllegalStateException if the client was closed, which released the hold; only the first close throws
     */
    @Override
    void close();

    /** Releases the lock like {@link #close}, without waiting; fails with what close would throw. */
    CompletableFuture<Void> closeAsync();
}
