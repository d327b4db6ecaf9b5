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
 * One acquiring call, which makes one attempt after the other until one of them holds the lock or the time is up.
 *
 * <p>Callers that ask at the same moment can acquire a minority each. So each attempt releases everything that it acquired, and
 * then pauses before the next attempt (randomized exponential backoff). The mean pause doubles with each attempt, up to
 * {@link #LONGEST_PAUSE}. Each pause is between half and one and a half times the mean. In time, one caller asks alone. When
 * the time is up, the call asks once more. There is no queue.
 *
 * <p>If no majority answers, the call continues for a while, because servers may recover. If a majority has never answered, it
 * continues for a command timeout. If a majority has answered before, it continues for the {@code maxOutage} of its clients.
 * Both times begin with the first attempt that was not answered. An attempt that failed only because other threads of this
 * process are asking neither begins an outage nor ends one.
 *
 * <p>In the last step, the caller checks that the hold is valid. A caller that was paused for longer than the lease asks again.
 */
final class QuorumRequest {

    private static final Duration FIRST_PAUSE = Duration.ofMillis(4);
    private static final Duration LONGEST_PAUSE = Duration.ofMillis(500);
    private static final int ATTEMPTS_AFTER_TIME = 3;

    private final QuorumServers servers;
    private final MemberSpec spec;
    private final Timeout timeout;
    private final int late;
    private final @Nullable Thread owner;
    private final CompletableFuture<Optional<QuorumHold>> outcome = new CompletableFuture<>();
    private volatile QuorumHold attempt;

    private Duration pause = FIRST_PAUSE;
    private Duration longestOutage;
    private long askedAt;
    private long outageSince;
    private Optional<RuntimeException> outage = Optional.empty();

    QuorumRequest(QuorumServers servers, MemberSpec spec, long wait) {
        this(servers, spec, Timeout.from(servers.platform(), wait), spec.leased() ? null : Thread.currentThread(), 0);
    }

    private QuorumRequest(QuorumServers servers, MemberSpec spec, Timeout timeout, @Nullable Thread owner, int late) {
        this.servers = servers;
        this.spec = spec;
        this.timeout = timeout;
        this.owner = owner;
        this.late = late;
        this.longestOutage = servers.commandTimeout();
        this.attempt = newAttempt();
    }

    /** Returns the future of the hold. It completes empty if others held the lock all the time, and the spec is content. */
    CompletableFuture<Optional<QuorumHold>> start() {
        ask();
        return outcome;
    }

    /**
     * Releases a hold that was no longer valid when its caller received it. The future then completes with a request for the
     * time that is left.
     */
    CompletableFuture<QuorumRequest> again(QuorumHold tooLate) {
        return tooLate.end().handle((nothing, lost) -> next());
    }

    private QuorumRequest next() {
        boolean timeIsUp = timeout.nanos() <= 0
                || timeout.isOver()
                || timeout.waitedMillis() >= servers.maxOutage().toMillis();
        if (timeIsUp && late + 1 >= ATTEMPTS_AFTER_TIME) {
            throw QuorumTexts.tooSlow(servers);
        }
        return new QuorumRequest(servers, spec, timeout, owner, late + 1);
    }

    private QuorumHold newAttempt() {
        askedAt = servers.platform().nanoTime();
        return new QuorumHold(servers, spec.lease(), owner, outageLeft());
    }

    /** Returns the time for which servers that do not answer are still awaited. */
    private Duration outageLeft() {
        long since = outage.isPresent() ? outageSince : askedAt;
        return longestOutage.minusNanos(servers.platform().nanoTime() - since);
    }

    private void ask() {
        var unused = attempt.start().thenAccept(this::decided);
    }

    private void decided(boolean held) {
        Optional<RuntimeException> failure = attempt.failure();
        if (held) {
            if (!outcome.complete(Optional.of(attempt))) {
                var unused = attempt.end();
            }
        } else if (isOver(failure)) {
            outage.ifPresentOrElse(outcome::completeExceptionally, this::refuse);
        } else if (!outcome.isDone()) {
            var unused = servers.later(nextPause(), this::again);
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
        note(failure);
        boolean timeIsUp = timeout.nanos() <= 0 || timeout.isOver();
        boolean isFinal = failure.filter(
                        error -> error instanceof StoreRefusedException || error instanceof IllegalStateException)
                .isPresent();
        return timeIsUp || isFinal || (outage.isPresent() && outageLeft().toNanos() <= 0);
    }

    private void note(Optional<RuntimeException> failure) {
        boolean answered = failure.isEmpty() || attempt.token() != 0;
        longestOutage = answered ? servers.maxOutage() : longestOutage;
        if (failure.isEmpty()) {
            outage = failure;
        } else if (!(failure.get() instanceof LockTimeoutException)) {
            outageSince = outage.isPresent() ? outageSince : askedAt;
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

    private void again() {
        attempt = newAttempt();
        // a caller that withdrew just before was too early to end this attempt
        if (!outcome.isDone()) {
            ask();
        }
    }

    /** Ends the request of a caller that has failed, and releases what the request acquired. */
    void forsake() {
        var unused = withdraw()
                .thenCompose(nothing -> outcome)
                .thenCompose(got -> got.map(QuorumHold::end).orElseGet(() -> CompletableFuture.completedFuture(null)));
    }

    /**
     * Ends the request. The future completes when everything that was acquired is released. If the request has already ended,
     * this method does nothing, and a hold stays held.
     */
    @CanIgnoreReturnValue
    CompletableFuture<Void> withdraw() {
        return outcome.cancel(false) ? attempt.end() : CompletableFuture.completedFuture(null);
    }
}
