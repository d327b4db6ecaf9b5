package io.holdfast;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/**
 * The asynchronous API of a {@link DistributedLatch}.
 *
 * <p>Each method calls the store and returns at once. It completes its future on the client's callback executor
 * ({@link HoldfastBuilder#callbackExecutor}). The future completes exceptionally with the exception that the blocking method
 * would throw. Canceling the future, or completing it from outside, ends the wait.
 */
public interface AsyncLatch {

    /** Completes the future when the latch is open, however long that takes; see {@link DistributedLatch#await()}. */
    CompletableFuture<Void> await();

    /**
     * Completes the future with {@code true} when the latch is open, or with {@code false} when the time is up before that.
     *
     * @param wait the maximum time to wait; zero or less means to ask once
     */
    CompletableFuture<Boolean> await(Duration wait);
}
