package io.holdfast.support.store;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Combinations of stages. */
final class Stages {

    private Stages() {}

    /** Returns a stage that completes with the results of all stages, in their order, or fails with the first failure. */
    static <T> CompletionStage<List<T>> all(List<CompletionStage<T>> stages) {
        List<CompletableFuture<T>> futures =
                stages.stream().map(CompletionStage::toCompletableFuture).toList();
        return CompletableFuture.allOf(futures.toArray(CompletableFuture[]::new))
                .thenApply(
                        nothing -> futures.stream().map(CompletableFuture::join).toList());
    }
}
