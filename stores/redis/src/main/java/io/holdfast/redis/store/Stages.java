package io.holdfast.redis.store;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.Stream;

/** Several answers that are waited for. */
public final class Stages {

    private Stages() {}

    /** All of them, in their order; fails if one does. */
    public static <T> CompletionStage<List<T>> all(Stream<? extends CompletionStage<? extends T>> stages) {
        List<? extends CompletableFuture<? extends T>> all =
                stages.map(CompletionStage::toCompletableFuture).toList();
        return CompletableFuture.allOf(all.toArray(CompletableFuture<?>[]::new))
                .thenApply(done -> all.stream().<T>map(CompletableFuture::join).toList());
    }
}
