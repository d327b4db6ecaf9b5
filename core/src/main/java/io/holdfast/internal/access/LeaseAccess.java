package io.holdfast.internal.access;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.holdfast.Lease;
import io.holdfast.LeaseLostException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/** A lease at one server, with operations beside its public API. No method that is declared here blocks. */
public interface LeaseAccess extends Lease {

    /** Registers an action for the loss, like {@link #onLost}. The action must not block, and does not wait for users' code. */
    void whenLost(Consumer<LeaseLostException> action);

    /**
     * Returns {@code true} if the lease is lost for good at this moment, was released, or was ended by the close of its client.
     */
    boolean isOver();

    /**
     * Renews the hold, and raises the token floor. All tokens that are issued later are above the floor, both in this client
     * and at the store.
     *
     * @return a future of whether the store confirmed both; it is {@code false} after the command timeout
     */
    CompletableFuture<Boolean> renew(long floor);

    /**
     * Moves the end of the hold like {@link #extend}. If the store does not confirm, the old end applies.
     *
     * @return a future of whether the store confirmed
     */
    CompletableFuture<Boolean> extending(Duration lease);

    /** Releases the hold like {@link #closeAsync}. The future completes on a thread that does not wait for users' code. */
    @CanIgnoreReturnValue
    CompletableFuture<Void> leaving();

    /** Abandons the hold, which then lasts until the end of its lease, as if its owner had died. */
    void abandon();
}
