package io.holdfast.internal.counted;

import io.holdfast.AsyncLatch;
import io.holdfast.internal.access.Awaiting;
import io.holdfast.internal.access.Durations;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Function;

/**
 * The asynchronous face of a latch, which completes futures.
 *
 * @param executor the executor that completes the futures
 */
record ClientAsyncLatch(Executor executor, LatchWatches latches, String name) implements AsyncLatch {

    @Override
    public CompletableFuture<Void> await() {
        return start(Durations.NEVER, opened -> null);
    }

    @Override
    public CompletableFuture<Boolean> await(Duration wait) {
        return start(Durations.nanos(wait), opened -> opened);
    }

    private <T> CompletableFuture<T> start(long nanos, Function<Boolean, T> result) {
        LatchWait wait = latches.start(name, nanos);
        CompletableFuture<T> future =
                wait.opened.thenApplyAsync(result, executor).copy();
        Awaiting.whenDone(future, () -> wait.opened.cancel(false));
        return future;
    }
}
