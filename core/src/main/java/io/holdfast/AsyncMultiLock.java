package io.holdfast;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * The lease face of a {@link MultiLock} without blocking.
 *
 * <p>Each method returns at once, and completes its future on the callback executor of a member's client. It completes
 * exceptionally with what the blocking method would throw, after what was taken has been released. Cancelling the future,
 * or completing it from outside, withdraws the request, and releases what was or will be granted. A bad argument throws
 * at the call.
 */
public interface AsyncMultiLock {

    /** Acquires a lease of all members, waiting for as long as it takes; see {@link MultiLock#acquire()}. */
    CompletableFuture<MultiLease> acquire();

    /**
     * Acquires a lease of all members within the wait; fails with {@link LockTimeoutException} when it has passed.
     *
     * @param wait for all together; zero or less for no waiting
     */
    CompletableFuture<MultiLease> acquire(Duration wait);

    /** Acquires a lease of all members if each is free now; empty if one is held. */
    CompletableFuture<Optional<MultiLease>> tryAcquire();

    /**
     * Acquires a lease of all members if they become free within the wait; empty otherwise.
     *
     * @param wait for all together; zero or less for no waiting
     */
    CompletableFuture<Optional<MultiLease>> tryAcquire(Duration wait);

    /**
     * Acquires a lease of all members if they become free within the wait, each for the given time from when it is got,
     * without renewal.
     *
     * @param wait for all together; zero or less for no waiting
     * @param lease 100 ms to 365 days; the hold ends with the first member
     */
    CompletableFuture<Optional<MultiLease>> tryAcquire(Duration wait, Duration lease);
}
