package io.holdfast.recipes;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.holdfast.Lease;
import io.holdfast.LeaseLostException;
import java.util.function.Consumer;

/**
 * The lease of a leader, from winning a {@link LeaderElection} until it is closed or lost. Closing it resigns the leadership.
 *
 * <p>The client leads while the lease {@linkplain #isValid is valid}. The {@linkplain #name name} is that of the election. The
 * {@linkplain #fencingToken fencing token} is the number of this leadership, its <em>term</em>. It is greater than that of every
 * earlier leadership of this name, but not always by one. Send it with each request, and let the resource refuse a lower one.
 *
 * <p>The leadership ends at its deadline at the latest, whether or not the store answers. The deadline is the moment when the
 * last confirmed renewal was sent, plus the lease, minus a margin of 1 % and 2 ms. The lease is always renewed, so
 * {@link #extend} throws {@link IllegalStateException}.
 */
public interface Leadership extends Lease {

    /** The way in which a leadership ended. */
    sealed interface End {

        /** An end by {@link Leadership#close}, or by the close of the client. */
        record Resigned() implements End {}

        /**
         * An end by a loss.
         *
         * @param cause the reason of the loss
         */
        record Lost(LeaseLostException cause) implements End {}
    }

    @Override
    @CanIgnoreReturnValue
    Leadership onLost(Consumer<LeaseLostException> action);

    /**
     * Registers an action for the end of this leadership: by {@link #close}, by the close of the client, or by a loss. It runs
     * once, on the client's callback executor. If the leadership has already ended, it runs at once.
     *
     * <p>A loss is reported at the deadline at the latest. A resignation is reported when its release is confirmed, or
     * continues in the background. The close of the client is reported when it has begun to release the leadership. An action that
     * blocks delays only other actions for the end of a leadership, unless the application has set an executor that it blocks. An
     * exception of the action is logged.
     */
    @CanIgnoreReturnValue
    Leadership onEnd(Consumer<End> action);
}
