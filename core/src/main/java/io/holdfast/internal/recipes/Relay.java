package io.holdfast.internal.recipes;

import io.holdfast.Lease;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.function.Consumer;

/**
 * A future in a user's hands, and the request that is under way for it. When the future ends first, the request is
 * withdrawn; a lease that comes for a future that has ended is given back.
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

    /** Takes over a request, and says what came of it. */
    <R> void pursue(CompletableFuture<R> next, Consumer<R> answered, Consumer<Throwable> failed) {
        request = next;
        // the future may have ended after the last request was answered, and before this one could be seen
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
            // what goes wrong with the release is reported by the engine, as for any lease
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
