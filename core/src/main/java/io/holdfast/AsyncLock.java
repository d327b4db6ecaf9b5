package io.holdfast;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * The lease face of a {@link DistributedLock} without blocking.
 *
 * <p>Each method calls the store, returns at once, and completes its future on the client's callback executor
 * ({@link HoldfastBuilder#callbackExecutor}). It completes exceptionally with what the blocking method would throw.
 * Cancelling the future, or completing it from outside, withdraws the request: what the store grants afterwards is
 * released. A bad argument throws at the call.
 *
 * <pre>{@code
 * lock.async().acquire(Duration.ofSeconds(10))
 *     .thenCompose(lease -> ship(42, lease.token()).whenComplete((ok, error) -> lease.closeAsync()));
 * }</pre>
 */
public interface AsyncLock {

    /** Acquires a lease, waiting for as long as it takes; see {@link DistributedLock#acquire()}. */
    CompletableFuture<Lease> acquire();

    /**
     * Acquires a lease within the wait; fails with {@link LockTimeoutException} when it has passed.
     *
     * @param wait zero or less for no waiting
     */
    CompletableFuture<Lease> acquire(Duration wait);

    /** Acquires a lease if the lock is free now, like {@link DistributedLock#tryLock()}; empty if it is held. */
    CompletableFuture<Optional<Lease>> tryAcquire();

    /**
     * Acquires a lease if the lock becomes free within the wait; empty otherwise.
     *
     * @param wait zero or less for no waiting
     */
    CompletableFuture<Optional<Lease>> tryAcquire(Duration wait);

    /**
     * Acquires a lease that ends after the given time and is not renewed, if the lock becomes free within the wait.
     *
     * @param wait zero or less for no waiting
     * @param lease 100 ms to 365 days
     */
    CompletableFuture<Optional<Lease>> tryAcquire(Duration wait, Duration lease);
}
