package io.holdfast.redisson.api;

import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.redisson.api.RFuture;
import org.redisson.misc.CompletableFutureWrapper;

/**
 * The futures of the asynchronous methods, and the daemon threads for store calls that Holdfast has no asynchronous method for.
 * The threads end when they are idle, so nothing has to be closed.
 */
final class Background {

    private static final int THREADS = 4;
    private static final long IDLE_SECONDS = 5;

    private final Executor threads = threads();

    private static Executor threads() {
        ThreadPoolExecutor pool = new ThreadPoolExecutor(
                THREADS, THREADS, IDLE_SECONDS, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), Background::thread);
        pool.allowCoreThreadTimeOut(true);
        return pool;
    }

    private static Thread thread(Runnable task) {
        Thread thread = new Thread(null, task, "holdfast-redisson-api", 0, false);
        thread.setDaemon(true);
        return thread;
    }

    /** Calls the store on a thread of its own. Canceling the future does not stop a call that is under way. */
    <T extends @Nullable Object> RFuture<T> call(Supplier<T> call) {
        CompletableFuture<T> result = new CompletableFuture<>();
        threads.execute(() -> complete(result, call));
        return new CompletableFutureWrapper<>(result);
    }

    /**
     * Makes a store call on a thread of its own, and completes with the future that it returns. Canceling the future cancels
     * that one.
     */
    <T extends @Nullable Object> RFuture<T> compose(Supplier<CompletableFuture<T>> call) {
        CompletableFuture<T> result = new CompletableFuture<>();
        threads.execute(() -> {
            try {
                relay(call.get(), result);
            } catch (Throwable e) {
                result.completeExceptionally(e);
            }
        });
        return new CompletableFutureWrapper<>(result);
    }

    private static <T extends @Nullable Object> void relay(CompletableFuture<T> source, CompletableFuture<T> result) {
        var unusedRelay = source.whenComplete((value, error) -> {
            if (error != null) {
                result.completeExceptionally(unwrapped(error));
            } else {
                result.complete(value);
            }
        });
        var unusedCancel = result.whenComplete((value, error) -> source.cancel(false));
    }

    private static <T extends @Nullable Object> void complete(CompletableFuture<T> result, Supplier<T> call) {
        try {
            result.complete(call.get());
        } catch (Throwable e) {
            result.completeExceptionally(e);
        }
    }

    /** Returns a future with the result of the call, which has ended when this method returns. */
    static <T extends @Nullable Object> RFuture<T> done(Supplier<T> call) {
        CompletableFuture<T> result = new CompletableFuture<>();
        complete(result, call);
        return new CompletableFutureWrapper<>(result);
    }

    /**
     * Returns a future of a grant. If it is canceled, the request is withdrawn, and a grant that was kept nevertheless is
     * undone.
     *
     * @param keep records the grant, and returns the result of the future
     * @param undo releases a grant that was recorded after the future had been canceled
     */
    static <G, T extends @Nullable Object> RFuture<T> granted(
            CompletableFuture<Optional<G>> source, Function<Optional<G>, T> keep, Consumer<G> undo) {
        CompletableFuture<T> result = new CompletableFuture<>();
        var unusedGrant = source.whenComplete((grant, error) -> {
            if (error != null) {
                result.completeExceptionally(unwrapped(error));
            } else if (!complete(result, grant, keep)) {
                grant.ifPresent(undo);
            }
        });
        var unusedCancel = result.whenComplete((value, error) -> source.cancel(false));
        return new CompletableFutureWrapper<>(result);
    }

    private static <G, T extends @Nullable Object> boolean complete(
            CompletableFuture<T> result, Optional<G> grant, Function<Optional<G>, T> keep) {
        try {
            return result.complete(keep.apply(grant));
        } catch (RuntimeException e) {
            result.completeExceptionally(e);
            return false;
        }
    }

    private static Throwable unwrapped(Throwable error) {
        return error instanceof CompletionException && error.getCause() != null ? error.getCause() : error;
    }
}
