package io.holdfast.internal.quorum;

import io.holdfast.StoreRefusedException;
import io.holdfast.internal.multi.Patience;
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
 * <p>One who could not ask a majority goes on for a while, as servers may come back: for two command timeouts if a majority
 * never answered, and as long as its clients stay through outages if it did.
 *
 * <p>The last act is a check of validity, by the caller: one who was paused for longer than the lease asks again.
 */
final class Request {

    private static final Duration FIRST_PAUSE = Duration.ofMillis(4);
    private static final Duration LONGEST_PAUSE = Duration.ofMillis(500);
    private static final int ATTEMPTS_AFTER_TIME = 3;

    private final Servers servers;
    private final Optional<Duration> own;
    private final Patience patience;
    private final int late;
    private final @Nullable Thread owner;
    private final CompletableFuture<Optional<Holding>> outcome = new CompletableFuture<>();
    private volatile Holding attempt;

    private Duration pause = FIRST_PAUSE;
    private boolean answered;
    private long answeredUntil;

    Request(Servers servers, Optional<Duration> own, long wait, @Nullable Thread owner) {
        this(servers, own, Patience.from(servers.platform(), wait), owner, 0);
    }

    private Request(Servers servers, Optional<Duration> own, Patience patience, @Nullable Thread owner, int late) {
        this.servers = servers;
        this.own = own;
        this.patience = patience;
        this.owner = owner;
        this.late = late;
        this.attempt = new Holding(servers, own, owner);
        this.answeredUntil = servers.platform().nanoTime();
    }

    /** The hold; nothing if others had it all the time. */
    CompletableFuture<Optional<Holding>> start() {
        ask();
        return outcome;
    }

    long waitedMillis() {
        return patience.waitedMillis();
    }

    /** Gives back what its caller came to when it was valid no more; then completes with a request for the time left. */
    CompletableFuture<Request> again(Holding tooLate) {
        return tooLate.end().handle((nothing, lost) -> next());
    }

    private Request next() {
        boolean timeIsUp = patience.nanos() <= 0
                || patience.isOver()
                || waitedMillis() >= servers.maxOutage().toMillis();
        if (timeIsUp && late + 1 >= ATTEMPTS_AFTER_TIME) {
            throw Texts.tooSlow(servers);
        }
        return new Request(servers, own, patience, owner, late + 1);
    }

    private void ask() {
        var unused = attempt.convene().thenAccept(this::decided);
    }

    private void decided(boolean held) {
        Optional<RuntimeException> failure = attempt.failure();
        if (held) {
            if (!outcome.complete(Optional.of(attempt))) {
                var unused = attempt.end();
            }
        } else if (isOver(failure)) {
            failure.ifPresentOrElse(outcome::completeExceptionally, () -> outcome.complete(Optional.empty()));
        } else if (!outcome.isDone()) {
            var unused = servers.later(nextPause(), this::again);
        }
    }

    private boolean isOver(Optional<RuntimeException> failure) {
        boolean timeIsUp = patience.nanos() <= 0 || patience.isOver();
        boolean isFinal = failure.filter(
                        error -> error instanceof StoreRefusedException || error instanceof IllegalStateException)
                .isPresent();
        return timeIsUp || isFinal || staysNoLonger(failure.isEmpty());
    }

    private boolean staysNoLonger(boolean answer) {
        long now = servers.platform().nanoTime();
        if (answer) {
            answered = true;
            answeredUntil = now;
        }
        Duration most =
                answered ? servers.maxOutage() : servers.commandTimeout().multipliedBy(2);
        return now - answeredUntil >= most.toNanos() && !answer;
    }

    private Duration nextPause() {
        long half = pause.toNanos() / 2;
        Duration random =
                Duration.ofNanos(half + Math.floorMod(servers.platform().randomLong(), 2 * half));
        Duration twice = pause.multipliedBy(2);
        pause = twice.compareTo(LONGEST_PAUSE) < 0 ? twice : LONGEST_PAUSE;
        Duration left = patience.left();
        return left.compareTo(random) < 0 ? left : random;
    }

    private void again() {
        attempt = new Holding(servers, own, owner);
        // whoever withdrew just before could not see this attempt
        if (!outcome.isDone()) {
            ask();
        }
    }

    /** Ends it for a caller that has failed, and gives back what it has got. */
    void forsake() {
        var unused = withdraw()
                .thenCompose(nothing -> outcome)
                .thenCompose(got -> got.map(Holding::end).orElseGet(() -> CompletableFuture.completedFuture(null)));
    }

    /** Ends it; completes when all that was got is given back. What was held before counts. */
    CompletableFuture<Void> withdraw() {
        return outcome.cancel(false) ? attempt.end() : CompletableFuture.completedFuture(null);
    }
}
