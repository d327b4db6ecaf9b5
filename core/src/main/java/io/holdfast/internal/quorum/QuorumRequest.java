package io.holdfast.internal.quorum;

import io.holdfast.LockTimeoutException;
import io.holdfast.StoreRefusedException;
import io.holdfast.internal.access.Timeout;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * One call: attempts, one after the other, until one holds or the time is up.
 *
 * <p>Those who ask at the same moment can get a minority each. So each gives back all it got, and waits for a time that is
 * random, and twice as long with each attempt, up to {@link #LONGEST_PAUSE}; sooner or later one is alone. When the time is
 * up it asks once more. There is no queue.
 *
 * <p>One whom no majority answers goes on for a while, because servers may come back: for a command timeout if a majority
 * never answered, and as long as its clients stay through outages if it did. Both times begin with the first attempt that
 * was not answered. An attempt that met only other threads of this process, which ask, neither begins an outage nor ends one.
 *
 * <p>The last act is a check of validity, by the caller: one who was paused for longer than the lease asks again.
 */
final class QuorumRequest {

    private static final Duration FIRST_PAUSE = Duration.ofMillis(4);
    private static final Duration LONGEST_PAUSE = Duration.ofMillis(500);
    private static final int ATTEMPTS_AFTER_TIME = 3;

    private final QuorumServers servers;
    private final Optional<Duration> own;
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

    QuorumRequest(QuorumServers servers, Optional<Duration> own, long wait, @Nullable Thread owner) {
        this(servers, own, Timeout.from(servers.platform(), wait), owner, 0);
    }

    private QuorumRequest(
            QuorumServers servers, Optional<Duration> own, Timeout timeout, @Nullable Thread owner, int late) {
        this.servers = servers;
        this.own = own;
        this.timeout = timeout;
        this.owner = owner;
        this.late = late;
        this.longestOutage = servers.commandTimeout();
        this.attempt = newAttempt();
    }

    /** The hold; nothing if others had it all the time. */
    CompletableFuture<Optional<QuorumHold>> start() {
        ask();
        return outcome;
    }

    long waitedMillis() {
        return timeout.waitedMillis();
    }

    /** Gives back what its caller came to when it was valid no more; then completes with a request for the time left. */
    CompletableFuture<QuorumRequest> again(QuorumHold tooLate) {
        return tooLate.end().handle((nothing, lost) -> next());
    }

    private QuorumRequest next() {
        boolean timeIsUp = timeout.nanos() <= 0
                || timeout.isOver()
                || waitedMillis() >= servers.maxOutage().toMillis();
        if (timeIsUp && late + 1 >= ATTEMPTS_AFTER_TIME) {
            throw QuorumTexts.tooSlow(servers);
        }
        return new QuorumRequest(servers, own, timeout, owner, late + 1);
    }

    private QuorumHold newAttempt() {
        askedAt = servers.platform().nanoTime();
        return new QuorumHold(servers, own, owner, outageLeft());
    }

    /** For how long servers that do not answer are still waited for. */
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
            outage.ifPresentOrElse(outcome::completeExceptionally, () -> outcome.complete(Optional.empty()));
        } else if (!outcome.isDone()) {
            var unused = servers.later(nextPause(), this::again);
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
        // whoever withdrew just before could not see this attempt
        if (!outcome.isDone()) {
            ask();
        }
    }

    /** Ends it for a caller that has failed, and gives back what it has got. */
    void forsake() {
        var unused = withdraw()
                .thenCompose(nothing -> outcome)
                .thenCompose(got -> got.map(QuorumHold::end).orElseGet(() -> CompletableFuture.completedFuture(null)));
    }

    /** Ends it; completes when all that was got is given back. What was held before counts. */
    CompletableFuture<Void> withdraw() {
        return outcome.cancel(false) ? attempt.end() : CompletableFuture.completedFuture(null);
    }
}
