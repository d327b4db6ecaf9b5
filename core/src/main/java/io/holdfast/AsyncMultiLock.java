package io.holdfast;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * The asynchronous API of a {@link MultiLock}, for leases.
 *
 * <p>Each method returns at once. It completes its future on the callback executor of a member's client. If a member fails, the
 * acquired members are released first. Then the future completes exceptionally with the exception that the blocking method
 * would throw. Canceling the future, or completing it from outside, withdraws the request. Each member that was granted, or is
 * granted later, is released. A bad argument throws at the call.
 */
public interface AsyncMultiLock {

    /** Acquires a lease of all members, waiting for as long as it takes; see {@link MultiLock#acquire()}. */
    CompletableFuture<MultiLease> acquire();

    /**
     * Acquires a lease of all members within the given time. If the time is up before that, the future fails with
     * {@link LockTimeoutException}.
     *
     * @param wait the maximum time to wait for all members together; zero or less means not to wait
     */
    CompletableFuture<MultiLease> acquire(Duration wait);

    /** Acquires a lease of all members if each is free now. If a member is held, the future completes with an empty result. */
    CompletableFuture<Optional<MultiLease>> tryAcquire();

    /**
     * Acquires a lease of all members if they become free within the given time. Otherwise, the future completes with an empty
     * result.
     *
     * @param wait the maximum time to wait for all members together; zero or less means not to wait
     */
    CompletableFuture<Optional<MultiLease>> tryAcquire(Duration wait);

    /**
     * Acquires a lease of all members, without renewal, if they become free within the wait. Otherwise, the future completes
     * with an empty result. The lease of each member begins when that member is acquired.
     *
     * @param wait the maximum time to wait for all members together; zero or less means not to wait
     * @param lease the lease of each member, 100 ms to 365 days; the hold ends when the first of them ends
     */
    CompletableFuture<Optional<MultiLease>> tryAcquire(Duration wait, Duration lease);
}
