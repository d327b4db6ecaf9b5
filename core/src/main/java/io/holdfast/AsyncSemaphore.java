package io.holdfast;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * The asynchronous API of a {@linkplain DistributedSemaphore semaphore}.
 *
 * <p>Each method calls the store and returns at once. It completes its future on the client's callback executor
 * ({@link HoldfastBuilder#callbackExecutor}). The future completes exceptionally with the exception that the blocking method
 * would throw. Canceling the future, or completing it from outside, withdraws the request. A grant that arrives afterward is
 * released. A bad argument throws at the call.
 */
public interface AsyncSemaphore {

    /** Acquires one permit, waiting for as long as it takes. */
    CompletableFuture<Permit> acquire();

    /**
     * Acquires the given number of permits as one lease, waiting for as long as it takes.
     *
     * @param permits the number of permits, at least 1
     */
    CompletableFuture<Permit> acquire(int permits);

    /** Acquires one permit if one is free now. Otherwise, the future completes with an empty result. */
    CompletableFuture<Optional<Permit>> tryAcquire();

    /**
     * Acquires the given number of permits as one lease, if they become free within the given time. Otherwise, the future
     * completes with an empty result.
     *
     * @param permits the number of permits, at least 1
     * @param wait the maximum time to wait; zero or less means not to wait
     */
    CompletableFuture<Optional<Permit>> tryAcquire(int permits, Duration wait);

    /**
     * Acquires the given number of permits as one lease, if they become free within the wait. The lease ends after the given
     * time and is not renewed. If the permits do not become free, the future completes with an empty result.
     *
     * @param permits the number of permits, at least 1
     * @param wait the maximum time to wait; zero or less means not to wait
     * @param lease the lease, 100 ms to 365 days
     */
    CompletableFuture<Optional<Permit>> tryAcquire(int permits, Duration wait, Duration lease);

    /**
     * Acquires all permits that are free now, as one lease. If no permit is free, the future completes with an empty result.
     */
    CompletableFuture<Optional<Permit>> drain();
}
