package io.holdfast.recipes;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.holdfast.Lease;
import io.holdfast.LeaseLostException;
import java.util.function.Consumer;

/**
 * A hold of a majority of the servers of a {@link QuorumLock}, which is used like any {@link Lease}.
 *
 * <p>It is valid as long as a majority of the servers holds it. A loss at a minority is not a loss of the lease. A server that
 * is missing is asked again every third of a lease. If a majority is lost, the lock is released at the other servers, because
 * others may need their votes.
 *
 * <p>A method that calls the servers asks all of them at once, and returns as soon as a majority has answered.
 */
public interface QuorumLease extends Lease {

    /**
     * Returns the fencing token of the quorum lock.
     *
     * <p>The token is greater than that of every earlier hold of this name by a majority of these servers. It cannot be
     * compared with tokens of the {@linkplain QuorumLock#members members}.
     */
    @Override
    long fencingToken();

    /** Returns the number of servers at which the hold is valid now. */
    int heldAt();

    /**
     * Registers an action for the loss of the hold. It runs once, when the hold is valid at fewer servers than a majority. That
     * is at the latest when its validity ends, even if no server answers. If the hold is already lost, it runs at once. It
     * never runs after {@link #close}.
     */
    @Override
    @CanIgnoreReturnValue
    QuorumLease onLost(Consumer<LeaseLostException> action);

    /**
     * Releases the lock at all servers. If another caller has begun to close the lease, waits until that release is known, and does
     * nothing else.
     *
     * <p>The method waits for the answers for at most the timeout of one server ({@link QuorumOptions#budget}). Then it logs a
     * warning for each server that did not answer, and the release continues in the background.
     *
     * @throws LeaseLostException if a majority was lost before; only the first close throws
     * @throws IllegalStateException if no majority of the clients is open; closing the others released the hold; only the first
     *     close throws
     */
    @Override
    void close();
}
