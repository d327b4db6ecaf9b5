package io.holdfast;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * The {@linkplain DistributedSemaphore permits} without blocking.
 *
 * <p>Each method calls the store, returns at once, and completes its future on the client's callback executor
 * ({@link HoldfastBuilder#callbackExecutor}). It completes exceptionally with what the blocking method would throw.
 * Cancelling the future, or completing it from outside, withdraws the request: what the store grants afterwards is
 * released. A bad argument throws at the call.
 */
public interface AsyncSemaphore {

    /** Acquires one permit, waiting for as long as it takes. */
    CompletableFuture<Permit> acquire();

    /**
     * Acquires so many permits as one, waiting for as long as it takes.
     *
     * @param permits at least 1
     */
    CompletableFuture<Permit> acquire(int permits);

    /** Acquires one permit if one is free now; empty otherwise. */
    CompletableFuture<Optional<Permit>> tryAcquire();

    /**
     * Acquires so many permits as one if they become free within the wait; empty otherwise.
     *
     * @param permits at least 1
     * @param wait zero or less for no waiting
     */
    CompletableFuture<Optional<Permit>> tryAcquire(int permits, Duration wait);

    /**
     * Acquires so many permits as one that ends after the given time and is not renewed, if they become free within the wait.
     *
     * @param permits at least 1
     * @param wait zero or less for no waiting
     * @param lease 100 ms to 365 days
     */
    CompletableFuture<Optional<Permit>> tryAcquire(int permits, Duration wait, Duration lease);

    /** Acquires all permits that are free now, as one; empty if none are. */
    CompletableFuture<Optional<Permit>> drain();
}
