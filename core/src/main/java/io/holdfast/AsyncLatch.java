package io.holdfast;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/**
 * Waiting for a {@link DistributedLatch} without blocking.
 *
 * <p>Each method calls the store, returns at once, and completes its future on the client's callback executor
 * ({@link HoldfastBuilder#callbackExecutor}). It completes exceptionally with what the blocking method would throw.
 * Cancelling the future, or completing it from outside, ends the wait.
 */
public interface AsyncLatch {

    /** Completes when the latch is open. */
    CompletableFuture<Void> await();

    /**
     * Completes when the latch is open, or when the wait has passed: with whether it opened.
     *
     * @param wait zero or less for asking once
     */
    CompletableFuture<Boolean> await(Duration wait);
}
