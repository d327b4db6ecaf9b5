package io.holdfast.recipes;

import io.holdfast.HoldfastBuilder;
import io.holdfast.LockTimeoutException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * The asynchronous API of a {@link LeaderElection}.
 *
 * <p>Each method returns at once. It completes its future on the client's callback executor
 * ({@link HoldfastBuilder#callbackExecutor}). The future completes exceptionally with the exception that the blocking method
 * would throw. Canceling the future, or completing it from outside, withdraws the candidate. A leadership that is won
 * afterward is resigned.
 */
public interface AsyncLeaderElection {

    /** Becomes the leader, however long that takes; see {@link LeaderElection#campaign()}. */
    CompletableFuture<Leadership> campaign();

    /**
     * Becomes the leader within the given time. If the time is up before that, the future fails with
     * {@link LockTimeoutException}.
     *
     * @param wait the maximum time to wait; zero or less means not to wait
     */
    CompletableFuture<Leadership> campaign(Duration wait);

    /** Becomes the leader if nobody leads now. Otherwise, the future completes with an empty result. */
    CompletableFuture<Optional<Leadership>> tryCampaign();

    /**
     * Becomes the leader if the leadership becomes free within the given time. Otherwise, the future completes with an empty
     * result.
     *
     * @param wait the maximum time to wait; zero or less means not to wait
     */
    CompletableFuture<Optional<Leadership>> tryCampaign(Duration wait);
}
