package io.holdfast;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import java.util.function.Consumer;

/**
 * A hold of a majority of the servers of a {@link QuorumLock}, which is used like any {@link Lease}.
 *
 * <p>It is valid as long as a majority of the servers holds it. A loss at fewer is no loss of the whole: the server is asked
 * again every third of a lease. When a majority is lost the rest is kept until it is closed, as the owner may be at work.
 *
 * <p>A method that calls the servers asks all at once, and returns as soon as a majority has answered.
 */
public interface QuorumLease extends Lease {

    /**
     * The fencing token of the whole: greater than that of every hold of this name before that a majority of these servers
     * had. Tokens of its {@linkplain QuorumLock#members members} cannot be compared with it.
     */
    @Override
    long token();

    /** At how many servers it is valid now. */
    int heldAt();

    /**
     * Registers what to run when the hold is lost: once, when it is left at fewer servers than a majority, at the latest when
     * its validity ends, also when no server is heard of; at once if it is lost already; never after {@link #close}.
     */
    @Override
    @CanIgnoreReturnValue
    QuorumLease onLost(Consumer<LeaseLostException> action);

    /**
     * Releases the lock at all servers; does nothing if closed before. Waits for their answers at most the budget, then goes
     * on in the background, with a warning for each that does not answer.
     *
     * @throws LeaseLostException if a majority was lost before; only the first close throws
     * @throws IllegalStateException if no majority of the clients is open, which released the hold; only the first close throws
     */
    @Override
    void close();
}
