package io.holdfast;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * The asynchronous API of a lock, for leases.
 *
 * <p>Each method calls the store and returns at once. It completes its future on the client's callback executor
 * ({@link HoldfastBuilder#callbackExecutor}). The future completes exceptionally with the exception that the blocking method of
 * the same name would throw. There is one exception: an asynchronous call belongs to no thread, so a thread that holds the lock
 * is not refused, and the future waits until that thread releases the lock. Canceling the future, or completing it from outside,
 * withdraws the request. Every grant, present or later, is then released. A bad argument throws at the call.
 *
 * <pre>{@code
 * lock.async().acquire(Duration.ofSeconds(10))
 *     .thenCompose(lease -> ship(42, lease.fencingToken()).whenComplete((ok, error) -> lease.closeAsync()));
 * }</pre>
 *
 * <p>For a lock that spans several clients, the callback executor is that of one of them.
 *
 * @param <L> the type of the leases: {@link Lease} for a {@link DistributedLock}
 */
public interface AsyncLock<L> {

    /** Acquires a lease, waiting for as long as it takes; see {@link DistributedLock#acquire()}. */
    CompletableFuture<L> acquire();

    /**
     * Acquires a lease within the given time. If the time is up before that, the future fails with
     * {@link LockTimeoutException}.
     *
     * @param wait the maximum time to wait; zero or less means not to wait
     */
    CompletableFuture<L> acquire(Duration wait);

    /**
     * Acquires a lease if the lock is free now, like {@link DistributedLock#tryLock()}. If the lock is held, the future
     * completes with an empty result.
     */
    CompletableFuture<Optional<L>> tryAcquire();

    /**
     * Acquires a lease if the lock becomes free within the given time. Otherwise, the future completes with an empty result.
     *
     * @param wait the maximum time to wait; zero or less means not to wait
     */
    CompletableFuture<Optional<L>> tryAcquire(Duration wait);

    /**
     * Acquires a lease that ends after the given time and is not renewed, if the lock becomes free within the wait. Otherwise,
     * the future completes with an empty result.
     *
     * @param wait the maximum time to wait; zero or less means not to wait
     * @param lease the lease, 100 ms to 365 days
     */
    CompletableFuture<Optional<L>> tryAcquire(Duration wait, Duration lease);
}
