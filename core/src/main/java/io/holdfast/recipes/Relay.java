package io.holdfast.recipes;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.holdfast.Lease;
import io.holdfast.internal.access.Awaiting;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/**
 * A user's future, and the request that is under way for it.
 *
 * <p>Invariants:
 *
 * <ol>
 *   <li>If the future completes first, the request is withdrawn.
 *   <li>A lease that arrives after the future has completed is released.
 * </ol>
 */
final class Relay<T> {

    private final CompletableFuture<T> future = new CompletableFuture<>();
    private volatile Runnable withdraw = () -> {};

    Relay() {
        Awaiting.whenDone(future, () -> withdraw.run());
    }

    CompletableFuture<T> future() {
        return future;
    }

    boolean isDone() {
        return future.isDone();
    }

    /** Tracks the next request, and passes its result to a callback. The request is withdrawn by canceling it. */
    <R> void track(CompletableFuture<R> next, Consumer<R> answered, Consumer<Throwable> failed) {
        track(next, () -> next.cancel(false), answered, failed);
    }

    /** Tracks the next request, and passes its result to a callback. */
    <R> void track(CompletableFuture<R> next, Runnable cancel, Consumer<R> answered, Consumer<Throwable> failed) {
        withdraw = cancel;
        // lost cancellation: the future may have completed between the previous request and this one
        if (future.isDone()) {
            cancel.run();
        }
        var unused = next.whenComplete((answer, error) -> {
            if (error == null) {
                answered.accept(answer);
            } else {
                failed.accept(error);
            }
        });
    }

    /** Completes the future, or releases the lease if the future is already done. */
    void deliver(Lease lease, T value) {
        if (!future.complete(value)) {
            // the engine reports a failure of this release, like that of any lease
            var unused = lease.closeAsync();
        }
    }

    /** Completes the future. Returns {@code false} if it was already done. */
    @CanIgnoreReturnValue
    boolean complete(T value) {
        return future.complete(value);
    }

    void fail(Throwable error) {
        future.completeExceptionally(error);
    }
}
