package io.holdfast.internal.counted;

import io.holdfast.AsyncLatch;
import io.holdfast.internal.access.Awaiting;
import io.holdfast.internal.access.Durations;
import io.holdfast.internal.engine.Engine;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/** The asynchronous face of a latch, which completes futures. */
record ClientAsyncLatch(Engine engine, LatchWatches latches, String name) implements AsyncLatch {

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
        CompletableFuture<T> future =
                wait.opened.thenApplyAsync(result, engine.threads.callbacks()).copy();
        Awaiting.whenDone(future, () -> wait.opened.cancel(false));
        return future;
    }
}
