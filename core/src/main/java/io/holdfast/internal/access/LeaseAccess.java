package io.holdfast.internal.access;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.holdfast.Lease;
import io.holdfast.LeaseLostException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/** A hold at one server: what a lease can do beside its public face. Nothing here blocks. */
public interface LeaseAccess extends Lease {

    /** Registers an action for the loss like {@link #onLost}, which must not block, and waits for no users' code. */
    void whenLost(Consumer<LeaseLostException> action);

    /** Whether it is lost, at this moment and for good, or its client is closed. */
    boolean isOver();

    /**
     * Renews the hold, and lets all tokens that are given later be above the floor, here and by the store.
     *
     * @return whether the store confirmed both; false after the command timeout
     */
    CompletableFuture<Boolean> renew(long floor);

    /** Moves the end like {@link #extend}; whether the store confirmed, and otherwise the old end counts. */
    CompletableFuture<Boolean> extending(Duration lease);

    /** Releases the hold like {@link #closeAsync}, but completes on a thread that waits for no users' code. */
    @CanIgnoreReturnValue
    CompletableFuture<Void> leaving();

    /** Leaves the hold to the end of its lease, as if its owner had died. */
    void abandon();
}
