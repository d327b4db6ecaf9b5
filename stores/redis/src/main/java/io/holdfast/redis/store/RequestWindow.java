package io.holdfast.redis.store;

import java.util.Collection;
import java.util.Iterator;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;

/**
 * Requests that are sent in order, with a limit on how many are unanswered at a time.
 *
 * <p>Invariant: at most one thread is in the loop that sends requests. It is the thread that raised {@code mayStart} from zero,
 * or at first the one that created the window. So the iterator needs no lock. A loop is used because replies that arrive at
 * once would otherwise nest as deep as there are requests.
 */
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

    /** Sends a request for each item, in order. Completes when all are answered, whether they succeed or fail. */
    static <T> CompletionStage<Void> each(Collection<T> items, int width, Function<T, CompletionStage<?>> request) {
        if (items.isEmpty()) {
            return CompletableFuture.completedStage(null);
        }
        RequestWindow<T> window = new RequestWindow<>(items, width, request);
        window.start();
        return window.all;
    }

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
