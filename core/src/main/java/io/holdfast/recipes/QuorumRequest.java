package io.holdfast.recipes;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.holdfast.Lease;
import io.holdfast.LockTimeoutException;
import io.holdfast.StoreRefusedException;
import io.holdfast.internal.access.LeaseAccess;
import io.holdfast.internal.access.LockAccess;
import io.holdfast.internal.access.MemberSpec;
import io.holdfast.spi.Platform;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * One acquiring call. It makes attempts one after another, until one of them holds the lock or the time is up.
 *
 * <p>Callers that ask at the same moment can acquire a minority each (split vote). So a failed attempt releases everything that
 * it acquired. If others have the lock, the call then waits for its <em>turn</em>: it waits for the lock at one server, the
 * <em>gate</em>, and asks the others when it has it. All callers choose the same gate, the first server by address of those that
 * answer, so its wait queue orders them, and one of them at a time asks. An attempt without the turn gives way to the one who has
 * it. The gate only avoids conflicts: after {@link #TURN_WAIT} in vain, because somebody keeps the gate and nothing else, or
 * because the gate has died, the call makes an attempt without the turn, and gives way to nobody.
 *
 * <p>If an attempt fails for another reason, or in spite of the turn, the call pauses (randomized exponential backoff). The mean
 * pause doubles with each attempt, up to {@link #LONGEST_PAUSE}. Each pause is between half and one and a half times the mean.
 * When the time is up, the call makes one more attempt, which gives way to nobody.
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
    private static final Duration TURN_WAIT = Duration.ofMillis(500);
    private static final int MAX_STALE = 3;

    /** A request keeps the votes of a split vote for a quarter of its pauses, so that others can win meanwhile. */
    private static final int PATIENCE_PER_PAUSE = 4;

    private final QuorumServers servers;
    private final MemberSpec spec;
    private final Timeout timeout;
    /** The number of earlier holds that were no longer valid when their caller received them. */
    private final int stale;

    private final @Nullable Thread owner;
    private final CompletableFuture<Optional<QuorumHold>> outcome = new CompletableFuture<>();
    private volatile QuorumHold attempt;
    private volatile CompletableFuture<Optional<Lease>> turn = CompletableFuture.completedFuture(Optional.empty());

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
        this.attempt = newAttempt(Optional.empty(), true);
    }

    /**
     * Starts the first attempt, and returns the future of the hold. If others held the lock all the time, the future is empty,
     * or fails if the spec needs a reason.
     */
    CompletableFuture<Optional<QuorumHold>> start() {
        guarded(this::startAttempt);
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

    private QuorumHold newAttempt(Optional<QuorumHold.Turn> turn, boolean yields) {
        attemptStart = servers.platform().nanoTime();
        return new QuorumHold(
                servers,
                spec.lease(),
                owner,
                outageLeft(),
                pause.dividedBy(PATIENCE_PER_PAUSE),
                turn,
                yields && !isTimeUp());
    }

    /** Returns the time for which the call still tolerates that servers do not answer. */
    private Duration outageLeft() {
        long since = outage.isPresent() ? outageSince : attemptStart;
        return longestOutage.minusNanos(servers.platform().nanoTime() - since);
    }

    private void startAttempt() {
        Relay.passOn(attempt.start(), this::attemptEnded, this::fail);
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
            // the next attempts are more patient, also after a wait for the turn
            Duration next = nextPause();
            attempt.gate()
                    .filter(gate -> isContended(failure) && attempt.yields())
                    .ifPresentOrElse(this::awaitTurn, () -> tryLater(next));
        }
    }

    private void tryLater(Duration delay) {
        var unused = servers.clients().later(delay, () -> guarded(() -> tryAgain(Optional.empty(), true)));
    }

    private static boolean isContended(Optional<RuntimeException> failure) {
        return failure.filter(error -> !(error instanceof LockTimeoutException)).isEmpty();
    }

    /** Waits for the lock at one server, where all contenders queue, so that one of them at a time asks the others. */
    private void awaitTurn(LockAccess gate) {
        Duration wait = QuorumServers.shorter(random(TURN_WAIT), timeLeft());
        CompletableFuture<Optional<Lease>> answer = requestTurn(gate, wait);
        turn = answer;
        // a frozen gate could take longer
        Platform.Task timer = servers.clients().later(wait, () -> answer.complete(Optional.empty()));
        var unused = answer.whenComplete((lease, error) -> {
            timer.cancel();
            guarded(() -> turnEnded(gate, error == null ? lease : Optional.empty()));
        });
        // withdrawal race: a concurrent withdrawal may have seen the previous wait
        if (outcome.isDone()) {
            answer.cancel(false);
        }
    }

    private CompletableFuture<Optional<Lease>> requestTurn(LockAccess gate, Duration wait) {
        try {
            return gate.await(spec.lease(), wait);
        } catch (IllegalStateException e) {
            // its client was closed
            return CompletableFuture.completedFuture(Optional.empty());
        }
    }

    private void turnEnded(LockAccess gate, Optional<Lease> lease) {
        if (outcome.isDone()) {
            releaseTurn();
        } else {
            tryAgain(lease.map(LeaseAccess.class::cast).map(won -> new QuorumHold.Turn(gate, won)), false);
        }
    }

    /** Ends the wait for the turn, and releases the lease at the gate, which an attempt with the turn may also have released. */
    private void releaseTurn() {
        turn.cancel(false);
        var unused = turn.thenAccept(lease -> lease.map(LeaseAccess.class::cast).ifPresent(LeaseAccess::releaseAsync));
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
        boolean isFinal = failure.filter(
                        error -> error instanceof StoreRefusedException || error instanceof IllegalStateException)
                .isPresent();
        return (isTimeUp() && !attempt.hasYielded())
                || isFinal
                || (outage.isPresent() && outageLeft().toNanos() <= 0);
    }

    private boolean isTimeUp() {
        return timeout.nanos() <= 0 || timeout.isOver();
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
        Duration random = random(pause);
        Duration twice = pause.multipliedBy(2);
        pause = twice.compareTo(LONGEST_PAUSE) < 0 ? twice : LONGEST_PAUSE;
        return QuorumServers.shorter(random, timeLeft());
    }

    /** Returns a duration between half and one and a half times the mean. */
    private Duration random(Duration mean) {
        long half = mean.toNanos() / 2;
        return Duration.ofNanos(half + Math.floorMod(servers.platform().randomLong(), 2 * half));
    }

    private Duration timeLeft() {
        return QuorumServers.shorter(timeout.left(), outageLeft());
    }

    private void tryAgain(Optional<QuorumHold.Turn> turn, boolean yields) {
        attempt = newAttempt(turn, yields);
        // withdrawal race: a concurrent withdrawal may have ended only the previous attempt
        if (outcome.isDone()) {
            var unused = attempt.release();
        } else {
            startAttempt();
        }
    }

    private void guarded(Runnable step) {
        Relay.guarded(step, this::fail);
    }

    /** Ends the request after an error of a step, because no other step would end it. What it acquired is released first. */
    private void fail(Throwable error) {
        var unused = attempt.release().whenComplete((nothing, lost) -> {
            outcome.completeExceptionally(error);
            releaseTurn();
        });
    }

    /** Ends the request of a caller that failed with an error, and releases everything that the request acquires. */
    void abort() {
        var unused = withdraw()
                .thenCompose(nothing -> outcome)
                .thenCompose(hold -> hold.isPresent() ? hold.get().release() : CompletableFuture.completedFuture(null));
    }

    /**
     * Withdraws the request. The future completes when every grant of the last attempt is released. A grant for which the request
     * waits at the gate is released in the background. If the request has already completed, this method does nothing, and a hold
     * stays held.
     */
    @CanIgnoreReturnValue
    CompletableFuture<Void> withdraw() {
        if (!outcome.cancel(false)) {
            return CompletableFuture.completedFuture(null);
        }
        turn.cancel(false);
        return attempt.release();
    }
}
