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
 *   <li>If the future ends first, the request is withdrawn.
 *   <li>A lease that arrives after the future has ended is released.
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

    boolean ended() {
        return future.isDone();
    }

    /** Takes over a request that is withdrawn by canceling it, and passes its result on. */
    <R> void pursue(CompletableFuture<R> next, Consumer<R> answered, Consumer<Throwable> failed) {
        pursue(next, () -> next.cancel(false), answered, failed);
    }

    /** Takes over a request, and passes its result on. */
    <R> void pursue(CompletableFuture<R> next, Runnable end, Consumer<R> answered, Consumer<Throwable> failed) {
        withdraw = end;
        // the future may have ended after the previous request was answered, too early to withdraw this one
        if (future.isDone()) {
            end.run();
        }
        var unused = next.whenComplete((answer, error) -> {
            if (error == null) {
                answered.accept(answer);
            } else {
                failed.accept(error);
            }
        });
    }

    void deliver(Lease lease, T value) {
        if (!future.complete(value)) {
            // the engine reports a failure of this release, like that of any lease
            var unused = lease.closeAsync();
        }
    }

    /** Completes the future. Returns {@code false} if it has ended before. */
    @CanIgnoreReturnValue
    boolean complete(T value) {
        return future.complete(value);
    }

    void fail(Throwable error) {
        future.completeExceptionally(error);
    }
}
