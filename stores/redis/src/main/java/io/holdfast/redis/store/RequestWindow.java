package io.holdfast.redis.store;

import java.util.Collection;
import java.util.Iterator;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;

/**
 * Requests that are sent in order, with a limit on the number of unanswered requests (sliding window).
 *
 * <p>Invariant: at most one thread is in the loop that sends requests. It is the thread that raised {@code mayStart} from zero;
 * at first, it is the thread that created the window. So the iterator needs no lock. Without the loop, replies that arrive at
 * once would nest as deeply as there are requests, and could overflow the stack.
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
