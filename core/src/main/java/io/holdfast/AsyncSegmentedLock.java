package io.holdfast;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * A {@link SegmentedLock} without blocking, with the order, the waits and the number of store calls of that.
 *
 * <p>Each method returns at once, and completes its future on the client's callback executor
 * ({@link HoldfastBuilder#callbackExecutor}). It completes exceptionally with what the blocking method would throw.
 * Cancelling the future, or completing it from outside, withdraws the request under way and makes no other: what the store
 * grants afterwards is released.
 */
public interface AsyncSegmentedLock {

    /** Acquires any segment, waiting for as long as it takes; see {@link SegmentedLock#acquireAny()}. */
    CompletableFuture<SegmentLease> acquireAny();

    /**
     * Acquires any segment within the wait; fails with {@link LockTimeoutException} when it has passed.
     *
     * @param wait zero or less for asking each once
     */
    CompletableFuture<SegmentLease> acquireAny(Duration wait);

    /** Acquires any segment that is free now; empty if all are held, or none is left. */
    CompletableFuture<Optional<SegmentLease>> tryAcquireAny();

    /**
     * Acquires any segment if one becomes free within the wait; empty otherwise, and at once if none is left.
     *
     * @param wait zero or less for asking each once
     */
    CompletableFuture<Optional<SegmentLease>> tryAcquireAny(Duration wait);
}
