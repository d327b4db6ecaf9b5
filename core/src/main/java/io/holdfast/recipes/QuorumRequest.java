package io.holdfast.recipes;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.holdfast.LockTimeoutException;
import io.holdfast.StoreRefusedException;
import io.holdfast.internal.access.MemberSpec;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * One acquiring call. It makes attempts one after another, until one of them holds the lock or the time is up.
 *
 * <p>Callers that ask at the same moment can acquire a minority each (split vote). So a failed attempt releases everything that
 * it acquired, and the call pauses before the next attempt (randomized exponential backoff). The mean pause doubles with each
 * attempt, up to {@link #LONGEST_PAUSE}. Each pause is between half and one and a half times the mean. In time, one caller asks
 * alone. When the time is up, the call makes one more attempt. There is no queue.
 *
 * <p>If no majority answers, the call continues for some time, because servers may recover. If a majority has never answered,
 * it continues for a command timeout. If a majority has answered before, it continues for the {@code maxOutage} of its clients.
 * Both times begin with the first attempt that was not answered. If an attempt failed only because other threads of this
 * process were asking, it neither begins nor ends an outage.
 *
 * <p>In the last step, the caller checks that the hold is valid. If the caller was stalled for longer than the lease, it asks
 * again.
 *
 * <p>See D. Ongaro and J. Ousterhout, "In Search of an Understandable Consensus Algorithm", USENIX ATC 2014, section 5.2, for
 * randomized pauses against split votes.
 */
final class QuorumRequest {

    private static final Duration FIRST_PAUSE = Duration.ofMillis(4);
    private static final Duration LONGEST_PAUSE = Duration.ofMillis(500);
    private static final int MAX_STALE = 3;

    private final QuorumServers servers;
    private final MemberSpec spec;
    private final Timeout timeout;
    /** The number of earlier holds that were no longer valid when their caller received them. */
    private final int stale;

    private final @Nullable Thread owner;
    private final CompletableFuture<Optional<QuorumHold>> outcome = new CompletableFuture<>();
    private volatile QuorumHold attempt;

    private Duration pause = FIRST_PAUSE;
    private Duration longestOutage;
    private long attemptStart;
    private long outageSince;
    private Optional<RuntimeException> outage = Optional.empty();

    QuorumRequest(QuorumServers servers, MemberSpec spec, long wait) {
        this(servers, spec, Timeout.from(servers.platform(), wait), spec.leased() ? null : Thread.currentThread(), 0);
    }

    private QuorumRequest(QuorumServers servers, MemberSpec spec, Timeout timeout, @Nullable Thread owner, int stale) {
        this.servers = servers;
        this.spec = spec;
        this.timeout = timeout;
        this.owner = owner;
        this.stale = stale;
        this.longestOutage = servers.commandTimeout();
        this.attempt = newAttempt();
    }

    /**
     * Starts the first attempt, and returns the future of the hold. If others held the lock all the time, the future is empty,
     * or fails if the spec needs a reason.
     */
    CompletableFuture<Optional<QuorumHold>> start() {
        startAttempt();
        return outcome;
    }

    /** Returns the lease of a hold. */
    Duration lease() {
        return servers.lease(spec.lease());
    }

    /**
     * Releases a hold that was already invalid when its caller received it. The future then completes with a request for the time that
     * is left.
     */
    CompletableFuture<QuorumRequest> retryAfter(QuorumHold hold) {
        return hold.release().handle((nothing, lost) -> nextRequest());
    }

    private QuorumRequest nextRequest() {
        boolean timeIsUp = timeout.nanos() <= 0
                || timeout.isOver()
                || timeout.waitedMillis() >= servers.maxOutage().toMillis();
        if (timeIsUp && stale + 1 >= MAX_STALE) {
            throw QuorumTexts.tooSlow(servers);
        }
        return new QuorumRequest(servers, spec, timeout, owner, stale + 1);
    }

    private QuorumHold newAttempt() {
        attemptStart = servers.platform().nanoTime();
        return new QuorumHold(servers, spec.lease(), owner, outageLeft());
    }

    /** Returns the time for which the call still tolerates that servers do not answer. */
    private Duration outageLeft() {
        long since = outage.isPresent() ? outageSince : attemptStart;
        return longestOutage.minusNanos(servers.platform().nanoTime() - since);
    }

    private void startAttempt() {
        var unused = attempt.start().thenAccept(this::attemptEnded);
    }

    private void attemptEnded(boolean held) {
        Optional<RuntimeException> failure = attempt.failure();
        if (held) {
            if (!outcome.complete(Optional.of(attempt))) {
                var unused = attempt.release();
            }
        } else if (isOver(failure)) {
            outage.ifPresentOrElse(outcome::completeExceptionally, this::refuse);
        } else if (!outcome.isDone()) {
            var unused = servers.later(nextPause(), this::tryAgain);
        }
    }

    private void refuse() {
        if (spec.tries()) {
            outcome.complete(Optional.empty());
        } else {
            outcome.completeExceptionally(QuorumTexts.timedOut(servers, timeout.waitedMillis()));
        }
    }

    private boolean isOver(Optional<RuntimeException> failure) {
        recordOutage(failure);
        boolean timeIsUp = timeout.nanos() <= 0 || timeout.isOver();
        boolean isFinal = failure.filter(
                        error -> error instanceof StoreRefusedException || error instanceof IllegalStateException)
                .isPresent();
        return timeIsUp || isFinal || (outage.isPresent() && outageLeft().toNanos() <= 0);
    }

    private void recordOutage(Optional<RuntimeException> failure) {
        boolean answered = failure.isEmpty() || attempt.token() != 0;
        longestOutage = answered ? servers.maxOutage() : longestOutage;
        if (failure.isEmpty()) {
            outage = failure;
        } else if (!(failure.get() instanceof LockTimeoutException)) {
            outageSince = outage.isPresent() ? outageSince : attemptStart;
            outage = failure;
        }
    }

    private Duration nextPause() {
        long half = pause.toNanos() / 2;
        Duration random =
                Duration.ofNanos(half + Math.floorMod(servers.platform().randomLong(), 2 * half));
        Duration twice = pause.multipliedBy(2);
        pause = twice.compareTo(LONGEST_PAUSE) < 0 ? twice : LONGEST_PAUSE;
        return QuorumServers.shorter(random, QuorumServers.shorter(timeout.left(), outageLeft()));
    }

    private void tryAgain() {
        attempt = newAttempt();
        // withdrawal race: a concurrent withdrawal may have ended only the previous attempt
        if (!outcome.isDone()) {
            startAttempt();
        }
    }

    /** Ends the request of a caller that failed with an error, and releases everything that the request acquires. */
    void abort() {
        var unused = withdraw()
                .thenCompose(nothing -> outcome)
                .thenCompose(hold -> hold.isPresent() ? hold.get().release() : CompletableFuture.completedFuture(null));
    }

    /**
     * Withdraws the request. The future completes when every grant is released. If the request has already completed, this
     * method does nothing, and a hold stays held.
     */
    @CanIgnoreReturnValue
    CompletableFuture<Void> withdraw() {
        return outcome.cancel(false) ? attempt.release() : CompletableFuture.completedFuture(null);
    }
}
