package io.holdfast.recipes;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.holdfast.Lease;
import io.holdfast.internal.access.Awaiting;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * A user's future, and the request that is under way for it.
 *
 * <p>Invariants:
 *
 * <ol>
 *   <li>If the future completes first, the request is withdrawn.
 *   <li>A lease that arrives after the future has completed is released.
 *   <li>A callback that throws ends the request, as a failure of the request does. Otherwise the future would never complete.
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

    /** Tracks the next request like {@link #passOn}. The request is withdrawn by canceling it. */
    <R> void track(CompletableFuture<R> next, Consumer<R> answered, Consumer<Throwable> failed) {
        track(next, () -> next.cancel(false), answered, failed);
    }

    /** Tracks the next request like {@link #passOn}. */
    <R> void track(CompletableFuture<R> next, Runnable cancel, Consumer<R> answered, Consumer<Throwable> failed) {
        withdraw = cancel;
        // lost cancellation: the future may have completed between the previous request and this one
        if (future.isDone()) {
            cancel.run();
        }
        passOn(next, answered, failed);
    }

    /** Passes the result of a request to a callback. An error of the request or of the callback is passed to {@code failed}. */
    static <R> void passOn(CompletableFuture<R> request, Consumer<R> answered, Consumer<Throwable> failed) {
        var unused = request.whenComplete((answer, error) -> {
            Runnable step = error == null ? () -> answered.accept(answer) : () -> failed.accept(error);
            guarded(step, failed);
        });
    }

    /** Runs a step of a request. An error of the step is passed to {@code failed}, because no caller would receive it. */
    static void guarded(Runnable step, Consumer<Throwable> failed) {
        try {
            step.run();
        } catch (RuntimeException | Error e) {
            failed.accept(e);
        }
    }

    /** Completes the future. If it is already done, or if there is no value because of an error, releases the lease. */
    void deliver(Lease lease, Supplier<T> value) {
        boolean delivered = false;
        try {
            delivered = future.complete(value.get());
        } finally {
            if (!delivered) {
                // the engine reports a failure of this release, like that of any lease
                var unused = lease.closeAsync();
            }
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
