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
 * @param told the executor that completes them
 */
record ClientAsyncLatch(Executor told, LatchWatches latches, String name) implements AsyncLatch {

    @Override
    public CompletableFuture<Void> await() {
        return begin(Durations.NEVER, opened -> null);
    }

    @Override
    public CompletableFuture<Boolean> await(Duration wait) {
        return begin(Durations.nanos(wait), opened -> opened);
    }

    private <T> CompletableFuture<T> begin(long nanos, Function<Boolean, T> result) {
        LatchWait wait = latches.begin(name, nanos);
        CompletableFuture<T> future = wait.opened.thenApplyAsync(result, told).copy();
        Awaiting.whenDone(future, () -> wait.opened.cancel(false));
        return future;
    }
}
