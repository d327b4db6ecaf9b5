package io.holdfast.recipes;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.holdfast.IndeterminateLockException;
import io.holdfast.Lease;
import io.holdfast.LockTimeoutException;
import io.holdfast.StoreUnavailableException;
import io.holdfast.internal.access.Awaiting;
import io.holdfast.internal.access.LeaseAccess;
import io.holdfast.internal.access.LockAccess;
import io.holdfast.spi.Platform;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * One server's part in a {@link QuorumHold}.
 *
 * <p>Invariants:
 *
 * <ol>
 *   <li>Only the events of the hold access this object.
 *   <li>While a request is under way, a timer limits it. So a pending member becomes confirmed or idle within its budget.
 *   <li>After any failure, the member is {@link State#IDLE}, and any grant of the server is released.
 * </ol>
 *
 * <p>The member first requests the lock from the server. Then it asks the server to confirm that all later tokens will be above
 * the token of the quorum hold. Each of the two requests has the budget as its timeout.
 */
final class QuorumMember {

    enum State {
        /** No request is under way, and the member holds nothing. */
        IDLE,
        /** The lock is requested, and the server has not answered yet. */
        REQUESTED,
        /** The server has refused the lock, and is asked again after a pause. */
        REPEATING,
        /** The server has granted the lock. Its later tokens may still be below the token of the quorum hold. */
        GRANTED,
        /** The server has confirmed the token. The member counts toward the majority. */
        CONFIRMED
    }

    private static final int MAX_REPETITIONS = 5;
    private static final Duration FIRST_PAUSE = Duration.ofMillis(1);

    final LockAccess server;
    private final QuorumHold hold;
    private final Duration budget;
    private State state = State.REQUESTED;
    private @Nullable LeaseAccess memberLease;
    private @Nullable Throwable failure;
    private int repetitions;
    private CompletableFuture<?> request = CompletableFuture.completedFuture(null);
    private Platform.Task timer = () -> {};

    QuorumMember(LockAccess server, QuorumHold hold, Duration budget) {
        this.server = server;
        this.hold = hold;
        this.budget = budget;
    }

    boolean is(State candidate) {
        return state == candidate;
    }

    /** Returns {@code true} if this member may still become confirmed without another request for the lock. */
    boolean isPending() {
        return state == State.REQUESTED || state == State.REPEATING || state == State.GRANTED;
    }

    Optional<LeaseAccess> memberLease() {
        return Optional.ofNullable(memberLease);
    }

    /** Returns the failure that made this member idle; empty if the server refused the lock, or if the member is not idle. */
    Optional<Throwable> failure() {
        return Optional.ofNullable(failure);
    }

    /** Returns {@code true} if another owner holds the lock at the server, or a thread of this process is requesting it. */
    boolean isRefused() {
        return hasRefused() || (state == State.IDLE && failure instanceof LockTimeoutException);
    }

    /** Returns {@code true} if the server has granted or refused the lock. A request of another thread is no answer. */
    boolean hasAnswered() {
        return state == State.GRANTED || state == State.CONFIRMED || state == State.REPEATING || hasRefused();
    }

    /** Returns {@code true} if the server has answered that another owner holds the lock. */
    boolean hasRefused() {
        return state == State.IDLE && failure == null;
    }

    /** Begins with a grant that the server has already given. */
    void adopt(LeaseAccess granted) {
        memberLease = granted;
        state = State.GRANTED;
    }

    /** Requests the lock. The timeout is the budget or {@code max}, whichever is shorter. */
    void request(Optional<Duration> fixedLease, Duration max) {
        state = State.REQUESTED;
        failure = null;
        Duration within = QuorumServers.shorter(budget, max);
        guarded(() -> {
            // a hold that completes itself again queues behind those who wait for the server
            CompletableFuture<Optional<Lease>> answer =
                    hold.isAcquiring() ? server.tryOnce(fixedLease) : server.await(fixedLease, within);
            await(answer, within, () -> answer.completeExceptionally(noAnswer(within)));
            var unused = answer.whenComplete((lease, error) ->
                    hold.event(() -> answered(answer, error == null ? lease : Optional.empty(), error)));
        });
    }

    /**
     * Runs a step, and removes this member if the step throws. Otherwise the member would stay pending without a request or a
     * timer, and the attempt would never end.
     */
    private void guarded(Runnable step) {
        try {
            step.run();
        } catch (Throwable e) {
            remove(e);
        }
    }

    private void await(CompletableFuture<?> answer, Duration within, Runnable overdue) {
        request = answer;
        timer = server.later(within, overdue);
    }

    private IndeterminateLockException noAnswer(Duration within) {
        return new IndeterminateLockException(
                hold.name(), server.address() + " did not answer within " + within.toMillis() + " ms", null);
    }

    private void answered(CompletableFuture<?> answer, Optional<Lease> lease, @Nullable Throwable error) {
        Optional<LeaseAccess> granted = lease.map(LeaseAccess.class::cast);
        if (request != answer || state != State.REQUESTED) {
            granted.ifPresent(LeaseAccess::releaseAsync);
            return;
        }
        timer.cancel();
        if (granted.isPresent()) {
            memberLease = granted.get();
            state = State.GRANTED;
            hold.granted(this);
        } else if (error == null && hold.isAcquiring() && hold.hasTurn() && repetitions < MAX_REPETITIONS) {
            state = State.REPEATING;
            timer = server.later(FIRST_PAUSE.multipliedBy(1L << repetitions++), () -> hold.event(this::repeat));
        } else {
            remove(error == null ? QuorumTexts.refusal(server, hold.name()) : Awaiting.cause(error));
        }
    }

    /** Ends a request that has no answer. */
    void giveUp() {
        remove(new IndeterminateLockException(
                hold.name(), server.address() + " did not answer, though other servers did", null));
    }

    /** Requests the lock again. Owners without the turn, who may have had it for a moment, were giving way. */
    private void repeat() {
        if (state == State.REPEATING) {
            request(hold.fixedLease(), hold.answerTimeLeft());
        }
    }

    /** Stops this member from counting until the server has confirmed the new token. */
    void unconfirm() {
        state = State.GRANTED;
        timer.cancel();
    }

    /** Asks the server to issue later tokens only above this one. */
    void raiseFloor(long token) {
        memberLease().ifPresent(lease -> guarded(() -> raiseFloor(lease, token)));
    }

    private void raiseFloor(LeaseAccess lease, long token) {
        if (lease.fencingToken() >= token) {
            floorRaised(lease, token, true);
            return;
        }
        CompletableFuture<Boolean> confirmed = lease.renew(token).thenApply(yes -> yes);
        await(confirmed, budget, () -> confirmed.complete(false));
        var unused = confirmed.whenComplete(
                (yes, error) -> hold.event(() -> floorRaised(lease, token, error == null && yes)));
    }

    private void floorRaised(LeaseAccess lease, long token, boolean confirmed) {
        // a late answer about an earlier, lower token says nothing about the present token
        if (memberLease == lease && state == State.GRANTED && token == hold.token()) {
            timer.cancel();
            if (confirmed) {
                state = State.CONFIRMED;
                hold.confirmed(this, lease);
            } else {
                remove(new StoreUnavailableException(
                        hold.name(),
                        server.address() + " did not confirm token " + token + " within " + budget.toMillis() + " ms",
                        null));
            }
        }
    }

    /**
     * Removes this member from the hold, because it is lost or has failed.
     *
     * @param why the failure to report; null if there is nothing to report
     */
    void remove(@Nullable Throwable why) {
        release();
        failure = why;
        hold.removed();
    }

    /**
     * Withdraws the request that is under way, and releases the hold.
     *
     * @return a future that completes when the release is confirmed, with true if this member counted toward the majority and
     *     its hold was lost before. It never completes if the client is closed before the release is confirmed
     */
    @CanIgnoreReturnValue
    CompletableFuture<Boolean> release() {
        boolean counted = is(State.CONFIRMED);
        Optional<LeaseAccess> held = memberLease();
        state = State.IDLE;
        memberLease = null;
        timer.cancel();
        request.cancel(false);
        // a client that was closed has released its hold, so another owner may have it
        return server.isClosed()
                ? CompletableFuture.completedFuture(counted)
                : held.map(lease -> ReleaseFailures.startedAsync(LeaseAccess::releaseAsync, lease)
                                .handle((nothing, lost) -> counted && lost != null))
                        .orElseGet(() -> CompletableFuture.completedFuture(false));
    }

    /** Abandons the hold, which then ends with its lease. */
    void abandon() {
        memberLease().ifPresent(LeaseAccess::abandon);
        memberLease = null;
        release();
    }
}
