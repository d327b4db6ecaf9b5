package io.holdfast.internal.quorum;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.holdfast.IndeterminateLockException;
import io.holdfast.Lease;
import io.holdfast.StoreUnavailableException;
import io.holdfast.spi.Platform;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/**
 * One server's part in a {@link Holding}, whose events alone touch it.
 *
 * <p>It is asked for its lock, and for its word that later tokens will be above that of the holding; each within a budget of
 * time. Whatever goes wrong leaves it vacant, and what it may have granted released.
 */
final class Chair {

    enum State {
        /** Nothing is asked and nothing is had. */
        VACANT,
        /** Asked, and not answered yet. */
        ASKED,
        /** Granted; later tokens may still be below that of the holding. */
        GRANTED,
        /** Counts. */
        TAKEN
    }

    final Server server;
    private final Holding holding;
    private final Duration budget;
    private State state = State.ASKED;
    private @Nullable Seat seat;
    private @Nullable Throwable trouble;
    private CompletableFuture<?> request = CompletableFuture.completedFuture(null);
    private Platform.Task timer = () -> {};

    Chair(Server server, Holding holding, Duration budget) {
        this.server = server;
        this.holding = holding;
        this.budget = budget;
    }

    boolean is(State candidate) {
        return state == candidate;
    }

    /** Whether it may still count without being asked again. */
    boolean isOpen() {
        return state == State.ASKED || state == State.GRANTED;
    }

    Optional<Seat> seat() {
        return Optional.ofNullable(seat);
    }

    /** Why it is vacant; empty if it was refused, or is not vacant. */
    Optional<Throwable> trouble() {
        return Optional.ofNullable(trouble);
    }

    /** Asks for its lock, and waits for the answer within the budget and that time. */
    void ask(Optional<Duration> own, Duration most) {
        state = State.ASKED;
        trouble = null;
        Duration within = Servers.shorter(budget, most);
        guarded(() -> {
            CompletableFuture<Optional<Lease>> asked = server.ask(own);
            await(asked, within, () -> asked.completeExceptionally(silence(within)));
            var unused = asked.whenComplete((lease, error) ->
                    holding.event(() -> answered(asked, error == null ? lease : Optional.empty(), error)));
        });
    }

    /** A chair that failed and stayed open would have neither request nor timer: nothing would end the attempt. */
    private void guarded(Runnable step) {
        try {
            step.run();
        } catch (Throwable e) {
            vacate(e);
        }
    }

    private void await(CompletableFuture<?> asked, Duration within, Runnable overdue) {
        request = asked;
        timer = server.later(within, overdue);
    }

    private IndeterminateLockException silence(Duration within) {
        return new IndeterminateLockException(
                holding.name(), server.address() + " did not answer within " + within.toMillis() + " ms", null);
    }

    private void answered(CompletableFuture<?> asked, Optional<Lease> lease, @Nullable Throwable error) {
        Optional<Seat> got = lease.map(Seat.class::cast);
        if (request != asked || state != State.ASKED) {
            got.ifPresent(Seat::leaving);
            return;
        }
        timer.cancel();
        if (got.isPresent()) {
            seat = got.get();
            state = State.GRANTED;
            holding.granted(this);
        } else {
            vacate(error == null ? Texts.refusal(server, holding.name()) : cause(error));
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
        seat().ifPresent(mine -> guarded(() -> raise(mine, token)));
    }

    private void raise(Seat mine, long token) {
        if (mine.token() >= token) {
            raised(mine, token, true);
            return;
        }
        CompletableFuture<Boolean> confirmed = mine.renew(token).thenApply(yes -> yes);
        await(confirmed, budget, () -> confirmed.complete(false));
        var unused =
                confirmed.whenComplete((yes, error) -> holding.event(() -> raised(mine, token, error == null && yes)));
    }

    private void raised(Seat mine, long token, boolean confirmed) {
        // what was asked about a token below the present one says nothing any more
        if (seat == mine && state == State.GRANTED && token == holding.token()) {
            timer.cancel();
            if (confirmed) {
                state = State.TAKEN;
                holding.taken(this, mine);
            } else {
                vacate(new StoreUnavailableException(
                        holding.name(),
                        server.address() + " did not confirm token " + token + " within " + budget.toMillis() + " ms",
                        null));
            }
        }
    }

    /** Gives back what it has, which is lost or of no use; null for what nobody has to know. */
    void vacate(@Nullable Throwable why) {
        leave();
        trouble = why;
        holding.vacant();
    }

    /**
     * Withdraws what is asked, and gives back what is had.
     *
     * @return when that was confirmed: whether it was lost before. Never, if its client is closed meanwhile
     */
    @CanIgnoreReturnValue
    CompletableFuture<Boolean> leave() {
        Optional<Seat> had = seat();
        state = State.VACANT;
        seat = null;
        timer.cancel();
        request.cancel(false);
        return had.filter(any -> !server.isClosed())
                .map(mine -> mine.leaving().handle((nothing, lost) -> lost != null))
                .orElseGet(() -> CompletableFuture.completedFuture(false));
    }

    /** Leaves the hold to the end of its lease. */
    void abandon() {
        seat().ifPresent(Seat::abandon);
        seat = null;
        leave();
    }
}
