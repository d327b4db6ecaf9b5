package io.holdfast;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * The lease face of a {@link QuorumLock} without blocking.
 *
 * <p>Each method returns at once, and completes its future on the callback executor of one of the clients. It completes
 * exceptionally with what the blocking method would throw. Cancelling the future, or completing it from outside, withdraws
 * the request, and releases what was or will be granted. A bad argument throws at the call.
 */
public interface AsyncQuorumLock {

    /** Acquires a lease, waiting for as long as it takes; see {@link QuorumLock#acquire()}. */
    CompletableFuture<QuorumLease> acquire();

    /**
     * Acquires a lease within the wait; fails with {@link LockTimeoutException} when it has passed.
     *
     * @param wait zero or less for no waiting
     */
    CompletableFuture<QuorumLease> acquire(Duration wait);

    /** Asks once for a lease; empty if others hold it at too many servers. */
    CompletableFuture<Optional<QuorumLease>> tryAcquire();

    /**
     * Acquires a lease if a majority becomes free within the wait; empty otherwise.
     *
     * @param wait zero or less for no waiting
     */
    CompletableFuture<Optional<QuorumLease>> tryAcquire(Duration wait);

    /**
     * Acquires a lease that ends after the given time and is not renewed, if a majority becomes free within the wait.
     *
     * @param wait zero or less for no waiting
     * @param lease 100 ms to 365 days
     */
    CompletableFuture<Optional<QuorumLease>> tryAcquire(Duration wait, Duration lease);
}
