package io.holdfast.support;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A request that is made once for all who ask for it at the same time.
 *
 * <p>The next request begins only when the answer to this one has arrived. The name is that of Go's package {@code singleflight}.
 *
 * @param <T> the type of the answer
 */
public final class SingleFlight<T> {

    private final AtomicReference<@Nullable CompletableFuture<T>> underWay = new AtomicReference<>();

    /** Creates a request that was not made yet. */
    public SingleFlight() {}

    /** Makes the request, unless it is under way. Completes with its answer. */
    public CompletionStage<T> join(Supplier<CompletionStage<T>> request) {
        CompletableFuture<T> own = new CompletableFuture<>();
        CompletableFuture<T> other = underWay.compareAndExchange(null, own);
        if (other != null) {
            return other.minimalCompletionStage();
        }
        CompletableFuture.completedStage(request).thenCompose(Supplier::get).whenComplete((answer, error) -> {
            // before the answer is known: who asks after it needs another request
            underWay.set(null);
            if (error == null) {
                own.complete(answer);
            } else {
                own.completeExceptionally(error);
            }
        });
        return own.minimalCompletionStage();
    }
}
