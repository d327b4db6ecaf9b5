package io.holdfast.redis.interop;

import io.holdfast.spi.Platform;
import io.holdfast.spi.StoreException;
import io.holdfast.spi.StoreException.Effect;
import io.holdfast.spi.TenureId;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

/**
 * Delays a request for a name that this client has just released, so that other clients can acquire the name. The request waits
 * until the release is answered. If other clients wait, it waits for another millisecond. Otherwise it would directly follow
 * the release on the same connection, and would always be the first (barging).
 */
final class YieldDelay {

    private static final long PAUSE_NANOS = 1_000_000;

    private final Platform.Timer timer;
    private final Map<String, CompletableFuture<Void>> pauses = new ConcurrentHashMap<>();
    private final Map<TenureId, CompletableFuture<Void>> unsent = new ConcurrentHashMap<>();

    YieldDelay(Platform.Timer timer) {
        this.timer = timer;
    }

    /**
     * Starts the pause of a name that was released.
     *
     * @param othersWait the answer to the release: whether other clients wait for the name
     */
    void released(String name, CompletionStage<Boolean> othersWait) {
        CompletableFuture<Void> pause = new CompletableFuture<>();
        CompletableFuture<Void> all = pauses.merge(name, pause, CompletableFuture::allOf);
        var unused = all.whenComplete((nothing, error) -> pauses.remove(name, all));
        othersWait.whenComplete((wait, error) -> {
            if (error == null && wait) {
                timer.schedule(PAUSE_NANOS, () -> pause.complete(null));
            } else {
                pause.complete(null);
            }
        });
    }

    /** Sends the request of a tenure, after the pause of its name if there is one. */
    <T> CompletionStage<T> delay(String name, TenureId tenure, Supplier<CompletionStage<T>> request) {
        CompletableFuture<Void> pause = pauses.get(name);
        if (pause == null) {
            return request.get();
        }
        CompletableFuture<Void> turn = new CompletableFuture<>();
        unsent.put(tenure, turn);
        var unused = pause.whenComplete((nothing, error) -> turn.complete(null));
        return turn.whenComplete((nothing, error) -> unsent.remove(tenure, turn))
                .thenCompose(nothing -> request.get());
    }

    /** Drops a delayed request. If it were sent after the release of its tenure, it would acquire the tenure again. */
    void withdraw(TenureId tenure) {
        CompletableFuture<Void> turn = unsent.get(tenure);
        if (turn != null) {
            turn.completeExceptionally(new StoreException(Effect.NOT_APPLIED, "withdrawn before it was sent"));
        }
    }

    void close() {
        unsent.keySet().forEach(this::withdraw);
    }
}
