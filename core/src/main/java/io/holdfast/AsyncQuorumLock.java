package io.holdfast;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * The asynchronous API of a {@link QuorumLock}, for leases.
 *
 * <p>Each method returns at once. It completes its future on the callback executor of one of the clients. The future completes
 * exceptionally with the exception that the blocking method would throw. Canceling the future, or completing it from outside,
 * withdraws the request. Each server's grant, present or later, is released. A bad argument throws at the call.
 */
public interface AsyncQuorumLock {

    /** Acquires a lease, waiting for as long as it takes; see {@link QuorumLock#acquire()}. */
    CompletableFuture<QuorumLease> acquire();

    /**
     * Acquires a lease within the given time. If the time is up before that, the future fails with
     * {@link LockTimeoutException}.
     *
     * @param wait the maximum time to wait; zero or less means not to wait
     */
    CompletableFuture<QuorumLease> acquire(Duration wait);

    /**
     * Asks each server once for a lease. If others hold the lock at too many servers, the future completes with an empty
     * result.
     */
    CompletableFuture<Optional<QuorumLease>> tryAcquire();

    /**
     * Acquires a lease if a majority becomes free within the given time. Otherwise, the future completes with an empty result.
     *
     * @param wait the maximum time to wait; zero or less means not to wait
     */
    CompletableFuture<Optional<QuorumLease>> tryAcquire(Duration wait);

    /**
     * Acquires a lease that ends after the given time and is not renewed, if a majority becomes free within the wait.
     * Otherwise, the future completes with an empty result.
     *
     * @param wait the maximum time to wait; zero or less means not to wait
     * @param lease the lease, 100 ms to 365 days
     */
    CompletableFuture<Optional<QuorumLease>> tryAcquire(Duration wait, Duration lease);
}
