package io.holdfast.recipes;

import io.holdfast.Lease;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
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
    private volatile Future<?> request = CompletableFuture.completedFuture(null);

    Relay() {
        var unused = future.whenComplete((value, error) -> request.cancel(false));
    }

    CompletableFuture<T> future() {
        return future;
    }

    boolean ended() {
        return future.isDone();
    }

    /** Takes over a request, and passes its result on. */
    <R> void pursue(CompletableFuture<R> next, Consumer<R> answered, Consumer<Throwable> failed) {
        request = next;
        // the future may have ended after the previous request was answered, too early to cancel this one
        if (future.isDone()) {
            next.cancel(false);
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

    void complete(T value) {
        future.complete(value);
    }

    void fail(Throwable error) {
        future.completeExceptionally(error);
    }
}
