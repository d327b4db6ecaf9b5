package io.holdfast.recipes;

import io.holdfast.HoldfastBuilder;
import io.holdfast.LockTimeoutException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * The asynchronous API of a {@link SegmentedLock}. It asks the segments in the same order as the blocking methods, with the
 * same waits and the same number of store calls.
 *
 * <p>Each method returns at once. It completes its future on the client's callback executor
 * ({@link HoldfastBuilder#callbackExecutor}). The future completes exceptionally with the exception that the blocking method
 * would throw. Canceling the future, or completing it from outside, withdraws the current request, and no further request is
 * made. A grant that arrives afterward is released.
 */
public interface AsyncSegmentedLock {

    /** Acquires any segment, waiting for as long as it takes; see {@link SegmentedLock#acquireAny()}. */
    CompletableFuture<SegmentLease> acquireAny();

    /**
     * Acquires any segment within the given time. If the time is up before that, the future fails with
     * {@link LockTimeoutException}.
     *
     * @param wait the maximum time to wait; zero or less means to ask for each segment once
     */
    CompletableFuture<SegmentLease> acquireAny(Duration wait);

    /**
     * Acquires any segment that is free now. If all segments are held, or none is left, the future completes with an empty
     * result.
     */
    CompletableFuture<Optional<SegmentLease>> tryAcquireAny();

    /**
     * Acquires any segment if one becomes free within the given time. Otherwise, the future completes with an empty result. If
     * no segment is left, it does so at once.
     *
     * @param wait the maximum time to wait; zero or less means to ask for each segment once
     */
    CompletableFuture<Optional<SegmentLease>> tryAcquireAny(Duration wait);
}
