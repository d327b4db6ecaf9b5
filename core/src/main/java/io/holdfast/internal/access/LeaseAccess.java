package io.holdfast.internal.access;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.holdfast.Lease;
import io.holdfast.LeaseLostException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/** A lease at one server, with operations in addition to its public API. No method that is declared here blocks. */
public interface LeaseAccess extends Lease {

    /** Registers an action for the loss, like {@link #onLost}. The action must not block. Users' code cannot delay it. */
    void whenLost(Consumer<LeaseLostException> action);

    /** Sets the only action for the close of the client, which releases the lease. It must not block, and may run twice. */
    void whenClientCloses(Runnable action);

    /**
     * Returns {@code true} if the lease has ended: it was released, its client was closed, or it is lost, even if the loss was
     * not detected yet.
     */
    boolean isOver();

    /**
     * Renews the hold, and raises the token floor. All tokens that are issued later are above the floor, both in this client
     * and at the store.
     *
     * @return a future that is {@code true} if the store confirmed both, and {@code false} after the command timeout
     */
    CompletableFuture<Boolean> renew(long floor);

    /**
     * Moves the end of the hold like {@link #extend}. If the store does not confirm, the old end applies.
     *
     * @return a future that is {@code true} if the store confirmed
     */
    CompletableFuture<Boolean> extendAsync(Duration lease);

    /**
     * Releases the hold like {@link #close}, but does not wait for the store.
     *
     * @return the rest of the close, which waits and reports a loss
     */
    Runnable startClose();

    /** Releases the hold like {@link #closeAsync}. Users' code cannot delay the completion of the future. */
    @CanIgnoreReturnValue
    CompletableFuture<Void> releaseAsync();

    /** Abandons the hold without a release, as if its owner had died. The store keeps it until its lease ends. */
    void abandon();
}
