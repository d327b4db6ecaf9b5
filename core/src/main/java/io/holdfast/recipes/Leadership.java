package io.holdfast.recipes;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.holdfast.Lease;
import io.holdfast.LeaseLostException;
import io.holdfast.StoreUnavailableException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/**
 * A term of leadership of a client, from winning a {@link LeaderElection} until it resigns or loses the leadership.
 *
 * <p>It ends at its deadline at the latest, whether or not the store answers. The deadline is the moment when the last
 * confirmed renewal was sent, plus the lease, minus a margin of 1 % and 2 ms. Keep a reference for as long as the leadership is
 * needed. If a leadership is garbage collected without being resigned, it is no longer renewed, like a {@link Lease}. It is not
 * tied to a thread.
 */
public interface Leadership extends AutoCloseable {

    /** The way in which a leadership ended. */
    sealed interface End {

        /** An end by {@link Leadership#resign}. */
        record Resigned() implements End {}

        /**
         * An end by a loss.
         *
         * @param cause the reason of the loss
         */
        record Lost(LeaseLostException cause) implements End {}
    }

    /** Returns the name of the election. */
    String electionName();

    /**
     * Returns the number of this leadership, which is its fencing token.
     *
     * <p>The term is greater than that of every earlier leadership of this name, but not always by one. Send it with each
     * request, and let the resource refuse a lower one. It can also be read after the end.
     */
    long term();

    /**
     * Returns {@code true} if this client leads now.
     *
     * <p>The result is {@code false} after the end. It is also {@code false} while a clock step or a suspended machine puts the
     * leadership in doubt, until the store has confirmed it.
     */
    boolean isLeader();

    /**
     * Returns the time for which this client leads if the store does not answer again. It is zero if this client does not lead.
     */
    Duration remaining();

    /**
     * Returns only if this client leads for at least the given time. If necessary, it renews the leadership with one store
     * call.
     *
     * <p>This is a check, not a fence. A pause directly after the check is harmless only if the resource refuses old terms.
     *
     * @param atLeast the required time, from zero to the lease minus its margin (1 % and 2 ms)
     * @throws IllegalArgumentException if the time is out of that range
     * @throws LeaseLostException if the leadership has ended
     * @throws StoreUnavailableException if the store did not confirm; this client leads, but not for the required time
     */
    void ensureLeader(Duration atLeast);

    /**
     * Registers an action for the end of this leadership. It runs once, on a thread of the client. If the leadership has
     * already ended, it runs at once.
     *
     * <p>A loss is reported at the deadline at the latest. A resignation is reported when its release is confirmed, or
     * continues in the background. The action does not run if the client is closed. An action that blocks delays other actions.
     * An exception of the action is logged.
     */
    @CanIgnoreReturnValue
    Leadership onEnd(Consumer<End> action);

    /**
     * Ends this leadership, so that another client can lead at once. A second call does nothing.
     *
     * <p>The method calls the store, and waits for its answer for at most the command timeout. If no answer arrives, it logs a
     * warning, and the release continues in the background. The interrupt status is preserved.
     *
     * @throws LeaseLostException if the leadership was lost before
     * @throws IllegalStateException if the client was closed, which ended the leadership
     */
    void resign();

    /**
     * Ends this leadership like {@link #resign}, without waiting. The future fails with the exception that {@code resign} would
     * throw.
     */
    CompletableFuture<Void> resignAsync();

    /** Ends this leadership like {@link #resign}. */
    @Override
    default void close() {
        resign();
    }
}
