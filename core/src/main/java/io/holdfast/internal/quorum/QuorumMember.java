package io.holdfast.internal.quorum;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.holdfast.IndeterminateLockException;
import io.holdfast.Lease;
import io.holdfast.StoreUnavailableException;
import io.holdfast.internal.access.LeaseAccess;
import io.holdfast.internal.access.LockAccess;
import io.holdfast.spi.Platform;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/**
 * One server's part in a {@link QuorumHold}, whose events alone touch it.
 *
 * <p>It is asked for its lock, and for its word that later tokens will be above that of the holding; each within a budget of
 * time. Whatever goes wrong leaves it vacant, and what it may have granted released.
 */
final class QuorumMember {

    enum State {
        /** Nothing is asked and nothing is had. */
        IDLE,
        /** Asked, and not answered yet. */
        ASKED,
        /** Granted; later tokens may still be below that of the holding. */
        GRANTED,
        /** Counts. */
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

    /** Whether it may still count without being asked again. */
    boolean isOpen() {
        return state == State.ASKED || state == State.GRANTED;
    }

    Optional<LeaseAccess> memberLease() {
        return Optional.ofNullable(memberLease);
    }

    /** Why it is vacant; empty if it was refused, or is not vacant. */
    Optional<Throwable> trouble() {
        return Optional.ofNullable(trouble);
    }

    /** Asks for its lock, and waits for the answer within the budget and that time. */
    void ask(Optional<Duration> own, Duration most) {
        state = State.ASKED;
        trouble = null;
        Duration within = QuorumServers.shorter(budget, most);
        guarded(() -> {
            CompletableFuture<Optional<Lease>> asked = server.ask(own);
            await(asked, within, () -> asked.completeExceptionally(silence(within)));
            var unused = asked.whenComplete((lease, error) ->
                    hold.event(() -> answered(asked, error == null ? lease : Optional.empty(), error)));
        });
    }

    /** A chair that failed and stayed open would have neither request nor timer: nothing would end the attempt. */
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
            got.ifPresent(LeaseAccess::leaving);
            return;
        }
        timer.cancel();
        if (got.isPresent()) {
            memberLease = got.get();
            state = State.GRANTED;
            hold.granted(this);
        } else {
            drop(error == null ? QuorumTexts.refusal(server, hold.name()) : cause(error));
        }
    }

    private static Throwable cause(Throwable error) {
        return error instanceof CompletionException && error.getCause() != null ? error.getCause() : error;
    }

    /** Lets it count no more until it has confirmed a token anew. */
    void reopen() {
        state = State.GRANTED;
        timer.cancel();
    }

    /** Lets all later tokens be above this one. */
    void raise(long token) {
        memberLease().ifPresent(mine -> guarded(() -> raise(mine, token)));
    }

    private void raise(LeaseAccess mine, long token) {
        if (mine.token() >= token) {
            raised(mine, token, true);
            return;
        }
        CompletableFuture<Boolean> confirmed = mine.renew(token).thenApply(yes -> yes);
        await(confirmed, budget, () -> confirmed.complete(false));
        var unused =
                confirmed.whenComplete((yes, error) -> hold.event(() -> raised(mine, token, error == null && yes)));
    }

    private void raised(LeaseAccess mine, long token, boolean confirmed) {
        // what was asked about a token below the present one says nothing any more
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

    /** Gives back what it has, which is lost or of no use; null for what nobody has to know. */
    void drop(@Nullable Throwable why) {
        leave();
        trouble = why;
        hold.dropped();
    }

    /**
     * Withdraws what is asked, and gives back what is had.
     *
     * @return when that was confirmed: whether it was lost before. Never, if its client is closed meanwhile
     */
    @CanIgnoreReturnValue
    CompletableFuture<Boolean> leave() {
        Optional<LeaseAccess> had = memberLease();
        state = State.IDLE;
        memberLease = null;
        timer.cancel();
        request.cancel(false);
        return had.filter(any -> !server.isClosed())
                .map(mine -> mine.leaving().handle((nothing, lost) -> lost != null))
                .orElseGet(() -> CompletableFuture.completedFuture(false));
    }

    /** Leaves the hold to the end of its lease. */
    void abandon() {
        memberLease().ifPresent(LeaseAccess::abandon);
        memberLease = null;
        leave();
    }
}
