package io.holdfast;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * The ways to campaign in a {@link LeaderElection} without blocking.
 *
 * <p>Each method returns at once, and completes its future on the client's callback executor
 * ({@link HoldfastBuilder#callbackExecutor}). It completes exceptionally with what the blocking method would throw.
 * Cancelling the future, or completing it from outside, withdraws the candidate: a lead that is won afterwards is given up.
 */
public interface AsyncLeaderElection {

    /** Waits for as long as it takes to be the leader; see {@link LeaderElection#campaign()}. */
    CompletableFuture<Leadership> campaign();

    /**
     * Becomes the leader within the wait; fails with {@link LockTimeoutException} when it has passed.
     *
     * @param wait zero or less for no waiting
     */
    CompletableFuture<Leadership> campaign(Duration wait);

    /** Becomes the leader if nobody is now; empty otherwise. */
    CompletableFuture<Optional<Leadership>> tryCampaign();

    /**
     * Becomes the leader if nobody is any more within the wait; empty otherwise.
     *
     * @param wait zero or less for no waiting
     */
    CompletableFuture<Optional<Leadership>> tryCampaign(Duration wait);
}
