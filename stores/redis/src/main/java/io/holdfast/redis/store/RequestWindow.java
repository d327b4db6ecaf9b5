package io.holdfast.redis.store;

import java.util.Collection;
import java.util.Iterator;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;

/** Requests that are sent in order, with a bound on how many are unanswered at a time. */
final class RequestWindow<T> {

    private final Iterator<T> items;
    private final Function<T, CompletionStage<?>> request;
    private final AtomicInteger unanswered;
    private final AtomicInteger mayStart;
    private final CompletableFuture<Void> all = new CompletableFuture<>();

    private RequestWindow(Collection<T> items, int width, Function<T, CompletionStage<?>> request) {
        this.items = items.iterator();
        this.request = request;
        this.unanswered = new AtomicInteger(items.size());
        this.mayStart = new AtomicInteger(width);
    }

    /** Makes a request for each, in their order; completes when all are answered, also those that failed. */
    static <T> CompletionStage<Void> each(Collection<T> items, int width, Function<T, CompletionStage<?>> request) {
        if (items.isEmpty()) {
            return CompletableFuture.completedStage(null);
        }
        RequestWindow<T> window = new RequestWindow<>(items, width, request);
        window.start();
        return window.all;
    }

    /** One thread at a time, in a loop: answers that come at once must not nest as deep as there are requests. */
    private void start() {
        do {
            if (items.hasNext()) {
                request.apply(items.next()).whenComplete((reply, error) -> answered());
            }
        } while (mayStart.decrementAndGet() > 0);
    }

    private void answered() {
        if (unanswered.decrementAndGet() == 0) {
            all.complete(null);
        } else if (mayStart.getAndIncrement() == 0) {
            start();
        }
    }
}
