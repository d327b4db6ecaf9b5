package io.holdfast.support;

import io.holdfast.spi.Platform;
import io.holdfast.spi.StoreException;
import io.holdfast.spi.StoreException.Effect;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.stream.Stream;

/** Operations on several stages. */
public final class Stages {

    private Stages() {}

    /** Returns the failure of a stage, without the exception in which a later stage wraps it. */
    public static Throwable cause(Throwable error) {
        boolean wrapped = error instanceof CompletionException || error instanceof ExecutionException;
        Throwable cause = error.getCause();
        return wrapped && cause != null ? cause : error;
    }

    /** Returns the stage of a request that changes nothing: if it fails, nothing was applied. */
    public static <T> CompletionStage<T> unapplied(CompletionStage<T> request) {
        return request.exceptionallyCompose(error -> CompletableFuture.failedStage(
                cause(error) instanceof StoreException known && known.effect() == Effect.UNKNOWN
                        ? new StoreException(Effect.NOT_APPLIED, known.getMessage() + "", known.getCause())
                        : cause(error)));
    }

    /** Returns a stage that fails after a pause, so that what is tried again and again is not tried all the time. */
    public static <T> CompletionStage<T> failedAfter(Platform.Timer timer, long nanos, Throwable cause) {
        CompletableFuture<T> failed = new CompletableFuture<>();
        timer.schedule(nanos, () -> failed.completeExceptionally(cause));
        return failed;
    }

    /** Returns all results in their order. Fails if one stage fails. */
    public static <T> CompletionStage<List<T>> all(Stream<? extends CompletionStage<? extends T>> stages) {
        List<? extends CompletableFuture<? extends T>> all =
                stages.map(CompletionStage::toCompletableFuture).toList();
        return CompletableFuture.allOf(all.toArray(CompletableFuture<?>[]::new))
                .thenApply(done -> all.stream().<T>map(CompletableFuture::join).toList());
    }
}
