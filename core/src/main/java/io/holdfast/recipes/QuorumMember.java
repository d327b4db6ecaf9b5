package io.holdfast.recipes;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.holdfast.IndeterminateLockException;
import io.holdfast.Lease;
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
 * One server's part in a {@link QuorumHold}. Only the events of that hold touch it.
 *
 * <p>It requests the lock from the server. Then it has the server confirm that all later tokens will be above the token of the
 * quorum hold. Each of the two requests has a budget of time. After any failure the member is {@link State#IDLE}, and whatever
 * the server may have granted is released.
 */
final class QuorumMember {

    enum State {
        /** No request is under way, and the member holds nothing. */
        IDLE,
        /** The lock is requested, and the server has not answered yet. */
        ASKED,
        /** The server has granted the lock. Its later tokens may still be below the token of the quorum hold. */
        GRANTED,
        /** The server has confirmed the token. The member counts toward the majority. */
        CONFIRMED
    }

    final LockAccess server;
    private final QuorumHold hold;
    private final Duration budget;
    private State state = State.ASKED;
    private @Nullable LeaseAccess memberLease;
    private @Nullable Throwable trouble;
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

    /** Returns {@code true} if this member may still count without another request for the lock. */
    boolean isOpen() {
        return state == State.ASKED || state == State.GRANTED;
    }

    Optional<LeaseAccess> memberLease() {
        return Optional.ofNullable(memberLease);
    }

    /** Returns the failure that made this member idle; empty if the server refused the lock, or if the member is not idle. */
    Optional<Throwable> trouble() {
        return Optional.ofNullable(trouble);
    }

    /** Requests the lock. The answer is awaited for the budget or for {@code most}, whichever is shorter. */
    void ask(Optional<Duration> own, Duration most) {
        state = State.ASKED;
        trouble = null;
        Duration within = QuorumServers.shorter(budget, most);
        guarded(() -> {
            CompletableFuture<Optional<Lease>> asked = server.tryOnce(own);
            await(asked, within, () -> asked.completeExceptionally(silence(within)));
            var unused = asked.whenComplete((lease, error) ->
                    hold.event(() -> answered(asked, error == null ? lease : Optional.empty(), error)));
        });
    }

    /**
     * Runs a step, and drops this member if the step throws. A failed member that stayed open would have neither a request nor
     * a timer, so the attempt would never end.
     */
    private void guarded(Runnable step) {
        try {
            step.run();
        } catch (Throwable e) {
            drop(e);
        }
    }

    private void await(CompletableFuture<?> asked, Duration within, Runnable overdue) {
        request = asked;
        timer = server.later(within, overdue);
    }

    private IndeterminateLockException silence(Duration within) {
        return new IndeterminateLockException(
                hold.name(), server.address() + " did not answer within " + within.toMillis() + " ms", null);
    }

    private void answered(CompletableFuture<?> asked, Optional<Lease> lease, @Nullable Throwable error) {
        Optional<LeaseAccess> got = lease.map(LeaseAccess.class::cast);
        if (request != asked || state != State.ASKED) {
            got.ifPresent(LeaseAccess::releaseAsync);
            return;
        }
        timer.cancel();
        if (got.isPresent()) {
            memberLease = got.get();
            state = State.GRANTED;
            hold.granted(this);
        } else {
            drop(error == null ? QuorumTexts.refusal(server, hold.name()) : Awaiting.cause(error));
        }
    }

    /** Stops this member from counting until the server has confirmed the new token. */
    void reopen() {
        state = State.GRANTED;
        timer.cancel();
    }

    /** Makes the server issue later tokens only above this one. */
    void raise(long token) {
        memberLease().ifPresent(mine -> guarded(() -> raise(mine, token)));
    }

    private void raise(LeaseAccess mine, long token) {
        if (mine.fencingToken() >= token) {
            raised(mine, token, true);
            return;
        }
        CompletableFuture<Boolean> confirmed = mine.renew(token).thenApply(yes -> yes);
        await(confirmed, budget, () -> confirmed.complete(false));
        var unused =
                confirmed.whenComplete((yes, error) -> hold.event(() -> raised(mine, token, error == null && yes)));
    }

    private void raised(LeaseAccess mine, long token, boolean confirmed) {
        // a late answer about a token below the present one proves nothing about the present one
        if (memberLease == mine && state == State.GRANTED && token == hold.token()) {
            timer.cancel();
            if (confirmed) {
                state = State.CONFIRMED;
                hold.confirmed(this, mine);
            } else {
                drop(new StoreUnavailableException(
                        hold.name(),
                        server.address() + " did not confirm token " + token + " within " + budget.toMillis() + " ms",
                        null));
            }
        }
    }

    /**
     * Releases what this member holds, because it is lost or no longer needed.
     *
     * @param why the failure to report; null if there is nothing to report
     */
    void drop(@Nullable Throwable why) {
        leave();
        trouble = why;
        hold.dropped();
    }

    /**
     * Withdraws the request that is under way, and releases the hold.
     *
     * @return a future that completes when the release is confirmed, with true if the hold was lost before. It never completes
     *     if the client is closed before the release is confirmed
     */
    @CanIgnoreReturnValue
    CompletableFuture<Boolean> leave() {
        Optional<LeaseAccess> had = memberLease();
        state = State.IDLE;
        memberLease = null;
        timer.cancel();
        request.cancel(false);
        return had.filter(any -> !server.isClosed())
                .map(mine -> mine.releaseAsync().handle((nothing, lost) -> lost != null))
                .orElseGet(() -> CompletableFuture.completedFuture(false));
    }

    /** Abandons the hold, which then ends with its lease. */
    void abandon() {
        memberLease().ifPresent(LeaseAccess::abandon);
        memberLease = null;
        leave();
    }
}
