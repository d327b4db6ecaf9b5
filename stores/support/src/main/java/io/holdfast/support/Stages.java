package io.holdfast.support;

import io.holdfast.spi.Platform;
import io.holdfast.spi.StoreException;
import io.holdfast.spi.StoreException.Effect;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.function.Function;
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

    /**
     * Returns the results of requests, each for one item, in the order of the items. A limited number is under way at once. Fails if
     * one fails.
     */
    public static <T, R> CompletionStage<List<R>> inTurn(
            List<T> items, int atOnce, Function<T, CompletionStage<R>> request) {
        return inTurn(items, atOnce, request, new ArrayList<>());
    }

    private static <T, R> CompletionStage<List<R>> inTurn(
            List<T> items, int atOnce, Function<T, CompletionStage<R>> request, List<R> results) {
        if (items.isEmpty()) {
            return CompletableFuture.completedStage(results);
        }
        List<T> some = items.subList(0, Math.min(items.size(), atOnce));
        List<T> others = items.subList(some.size(), items.size());
        return Stages.<R>all(some.stream().map(request)).thenCompose(found -> {
            results.addAll(found);
            return inTurn(others, atOnce, request, results);
        });
    }

    /** Returns all results in their order. Fails if one stage fails. */
    public static <T> CompletionStage<List<T>> all(Stream<? extends CompletionStage<? extends T>> stages) {
        List<? extends CompletableFuture<? extends T>> all =
                stages.map(CompletionStage::toCompletableFuture).toList();
        return CompletableFuture.allOf(all.toArray(CompletableFuture<?>[]::new))
                .thenApply(done -> all.stream().<T>map(CompletableFuture::join).toList());
    }
}
