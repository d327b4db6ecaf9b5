package io.holdfast.internal.slot;

import io.holdfast.internal.access.Durations;
import io.holdfast.spi.Acquire;
import io.holdfast.spi.Acquire.Queueing;
import io.holdfast.spi.Share;
import io.holdfast.spi.Signal;
import io.holdfast.spi.StoreException;
import io.holdfast.spi.TenureId;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The wait queue of a client for permits of one semaphore that is not fair.
 *
 * <h2>Invariants, besides those of {@link Slot}</h2>
 *
 * <ol>
 *   <li>Of all tickets in the wait queue, only the first one waits at the store.
 *   <li>If somebody waits and no call for the first one is in flight, a poll is scheduled.
 *   <li>A ticket that left the wait queue, and that the store may know, is the tenure of another slot or is given up.
 * </ol>
 *
 * <h2>How it works</h2>
 *
 * <p>A newcomer asks once, for itself, and so may take free permits before the waiters (barging). A newcomer that is refused
 * waits in the wait queue, and asks nothing more until it is the first. Only the first waiter has a position in the store's
 * queue, and a poll. So the load on the store does not grow with the number of waiters, and there is no thundering herd.
 *
 * <p>Each waiter has a <em>ticket</em>, a tenure of its own, because each may want another number of permits. A ticket that is
 * granted leaves the wait queue at once, as the tenure of a slot that its waiter alone owns. Nothing is ever held in this slot.
 * Then the next waiter is the first, and asks. A first waiter that leaves without a grant leaves its arrival to the next one,
 * so the client does not lose its turn. A newcomer whose request fails is answered by the store's next reply to the first
 * waiter.
 *
 * <h2>References</h2>
 *
 * <p>{@link java.util.concurrent.Semaphore} of the JDK does the same with its own queue: barge once, then wait for one's turn.
 */
final class PermitQueue extends Slot {

    private final Consumer<Slot> served;

    /** The ticket of the first waiter, as of the last time when the queue advanced; null if its waiter was served. */
    private @Nullable Tenure first;

    private long pollNumber;
    private long pollAt;

    /**
     * Creates the wait queue of a semaphore.
     *
     * @param served takes the slot of a waiter that was granted permits, so that signals find it from then on
     */
    PermitQueue(String name, SlotConfig config, Supplier<TenureId> ids, Consumer<Slot> served) {
        super(name, Share.permits(1), config, ids);
        this.served = served;
    }

    // ---- waiters

    @Override
    boolean admit(Waiter waiter, long now, Effect.Buffer out) {
        waiter.ticket = newTenure(waiter.spec.share());
        waiter.ticket().born = now;
        queue.add(waiter);
        ask(waiter, out);
        goOn(now, out);
        return true;
    }

    @Override
    boolean awaitsAnswer(Waiter waiter) {
        return waiter.ticket().inFlight() || !waiter.answered;
    }

    @Override
    boolean remove(Waiter waiter, long now, Effect.Buffer out) {
        boolean waited = queue.remove(waiter);
        if (waited) {
            leave(waiter.ticket(), out);
            goOn(now, out);
        }
        return waited;
    }

    @Override
    void ended(Waiter waiter, Effect.Buffer out) {
        leave(waiter.ticket(), out);
        super.ended(waiter, out);
    }

    private void leave(Tenure ticket, Effect.Buffer out) {
        ticket.state = Tenure.State.ENDED;
        if (ticket.queued || ticket.inFlight() || ticket.copies.unanswered()) {
            out.add(new Effect.GiveUp(new Settlement(name, ticket, false, List.of())));
        }
    }

    /** Advances the wait queue: a waiter that has become the first asks. */
    private void goOn(long now, Effect.Buffer out) {
        Waiter head = queue.peek();
        if (head == null) {
            first = null;
            retireIfEmpty(out);
        } else if (head.ticket() != first) {
            succeed(head.ticket(), now);
            if (!head.ticket().inFlight()) {
                ask(head, out);
            }
        }
    }

    private void succeed(Tenure next, long now) {
        Tenure before = first;
        next.born = before == null ? now : before.born;
        next.arrival = before == null ? 0 : before.arrival;
        next.failures = before == null ? 0 : before.failures;
        first = next;
    }

    // ---- asking

    /** Records that the store is about to be asked. The answer to a newcomer is for that newcomer alone. */
    @Override
    public long asks(Tenure asked, long now) {
        Waiter newcomer = asked.preparedFor;
        return asked == first || newcomer == null ? queue.asks(asked, now) : queue.asks(newcomer, asked, now);
    }

    private void ask(Waiter waiter, Effect.Buffer out) {
        Tenure ticket = waiter.ticket();
        ticket.startRequest(wantsPlace(waiter));
        ticket.preparedFor = waiter;
        out.add(new Effect.Ask(
                ticket, waiter.spec.first(), wantsPlace(waiter) ? Queueing.BARGING : Queueing.NONE, List.of()));
    }

    /**
     * Returns {@code true} if the waiter needs a position at the store. The first waiter has one for all, even if it polls
     * itself, because the others have no other position.
     */
    private boolean wantsPlace(Waiter waiter) {
        return config.queues() && queue.peek() == waiter && queue.anyQueues();
    }

    private void askFirst(Effect.Buffer out) {
        Waiter head = queue.peek();
        InFlight request = head == null ? null : head.ticket().request;
        if (request != null) {
            request.freed = true;
        } else if (head != null) {
            ask(head, out);
        }
    }

    private void pollIn(Tenure asked, long nanos, long now, Effect.Buffer out) {
        pollAt = now + nanos;
        out.add(new Effect.PollIn(asked, ++pollNumber, nanos));
    }

    @Override
    public void poll(Effect.PollIn poll, long now, Effect.Buffer out) {
        if (poll.number() == pollNumber && !poll.tenure().inFlight()) {
            queue.impatient(poll.tenure(), now).forEach(waiter -> ended(waiter, out));
            if (poll.tenure().state == Tenure.State.WAITING) {
                queue.waiterOf(poll.tenure().id).ifPresent(waiter -> askAgain(waiter, out));
            }
            goOn(now, out);
        }
    }

    /**
     * Asks again. If only polling waiters are left, the position is given up first, because it would hold up the waiters behind
     * it.
     */
    private void askAgain(Waiter waiter, Effect.Buffer out) {
        if (waiter.ticket().queued && !wantsPlace(waiter)) {
            again(waiter, out);
        }
        ask(waiter, out);
    }

    // ---- replies

    @Override
    public void granted(Tenure asked, Acquire.Granted reply, Validity proven, long now, Effect.Buffer out) {
        asked.endRequest();
        if (asked.state == Tenure.State.WAITING) {
            Waiter waiter = Objects.requireNonNull(asked.preparedFor);
            granted(asked);
            asked.confirm(proven, waiter.spec.watchdog());
            asked.tokens.adopt(reply.tokens());
            serve(asked, waiter, now, out);
        }
    }

    /** Moves the granted ticket and its waiter from the wait queue into a slot of their own. */
    private void serve(Tenure ticket, Waiter waiter, long now, Effect.Buffer out) {
        Slot own = new BargingSlot(name, ticket.share, config, ids);
        Effect.Buffer begun = own.on((slot, wanted) -> {
            slot.begin(ticket, waiter, now, wanted);
            // before the mutex is free: the waiter may release what it has got, and so retire this slot
            served.accept(slot);
        });
        queue.remove(waiter);
        first = ticket == first ? null : first;
        out.add(new Effect.Elsewhere(own, begun));
        out.add(new Effect.Tell(waiter));
        goOn(now, out);
    }

    @Override
    public void refused(Tenure asked, Acquire.Refused reply, Tenure.Base base, long now, Effect.Buffer out) {
        InFlight request = asked.endRequest();
        if (asked.state != Tenure.State.WAITING) {
            return;
        }
        healthy(asked);
        asked.base = base;
        asked.refusedWith(reply.arrival(), request);
        asked.arrival = reply.arrival() == 0 ? asked.arrival : reply.arrival();
        if (asked != first) {
            Waiter newcomer = Objects.requireNonNull(asked.preparedFor);
            queue.refused(newcomer, reply.holder(), now).ifPresent(waiter -> ended(waiter, out));
            askForPlace(out);
            return;
        }
        queue.refused(asked, reply.holder(), now).forEach(waiter -> ended(waiter, out));
        if (asked.state == Tenure.State.WAITING) {
            waitOn(request, asked, Objects.requireNonNull(queue.peek()), reply, now, out);
        }
        goOn(now, out);
    }

    /** Asks for a position for the first waiter, which had none while all waiters polled. */
    private void askForPlace(Effect.Buffer out) {
        Waiter head = queue.peek();
        if (head != null && head.ticket().arrival == 0 && wantsPlace(head)) {
            askFirst(out);
        }
    }

    private void waitOn(
            InFlight request, Tenure asked, Waiter head, Acquire.Refused reply, long now, Effect.Buffer out) {
        if (request.assigned != null) {
            apply(asked, head, request.assigned, now, out);
        } else if (request.freed || (wantsPlace(head) && reply.arrival() == 0 && !asked.noRoom)) {
            ask(head, out);
        } else {
            pollIn(
                    asked,
                    Math.min(Durations.nanos(reply.retryAfter()), pollDelay(asked, asked.noRoom || polls(head))),
                    now,
                    out);
        }
    }

    @Override
    public void repeat(Tenure asked, long now, Effect.Buffer out) {
        asked.endRequest();
        if (asked.state == Tenure.State.WAITING) {
            queue.impatient(asked, now).forEach(waiter -> ended(waiter, out));
            queue.waiterOf(asked.id).ifPresent(waiter -> ask(waiter, out));
            goOn(now, out);
        }
    }

    @Override
    public void failed(Tenure asked, StoreException cause, long now, Effect.Buffer out) {
        asked.endRequest();
        if (asked.state == Tenure.State.WAITING) {
            if (cause.effect() == StoreException.Effect.REFUSED) {
                queue.waiterOf(asked.id).ifPresent(waiter -> fail(waiter, cause, now, out));
            } else {
                queue.isSilent(asked, cause, now);
                queue.impatient(asked, now).forEach(waiter -> ended(waiter, out));
                queue.waiterOf(asked.id).ifPresent(waiter -> retryLater(waiter, cause, now, out));
            }
            goOn(now, out);
        }
    }

    /**
     * Ends one waiter by an error. A request can be refused for one waiter alone, for example if it wants more permits than
     * there are.
     */
    private void fail(Waiter waiter, StoreException cause, long now, Effect.Buffer out) {
        queue.remove(waiter);
        waiter.outcome = new Outcome.Failed(config.moment().failure(name, waiter, waiter.ticket(), cause, now));
        ended(waiter, out);
    }

    private void retryLater(Waiter waiter, StoreException cause, long now, Effect.Buffer out) {
        Tenure asked = waiter.ticket();
        long delay = queue.backoff(asked, now);
        boolean isFirst = asked == first;
        if (cause.effect() == StoreException.Effect.UNCONFIRMED || (!isFirst && asked.mayStand())) {
            again(waiter, out);
        }
        Tenure next = first;
        if (next != null && !next.inFlight() && (isFirst || pollAt - now > delay)) {
            pollIn(next, delay, now, out);
        }
    }

    /**
     * Replaces a ticket that may have been granted at the store but counts for nobody. It is given up so that it does not
     * exclude others, and the permits are requested again behind them.
     */
    private void again(Waiter waiter, Effect.Buffer out) {
        Tenure before = waiter.ticket();
        leave(before, out);
        Tenure fresh = newTenure(waiter.spec.share());
        fresh.goesOnFrom(before);
        waiter.ticket = fresh;
        first = before == first ? fresh : first;
    }

    // ---- signals

    @Override
    public void freed(Effect.Buffer out) {
        askFirst(out);
    }

    @Override
    public boolean assigned(Signal.Assigned signal, long now, Effect.Buffer out) {
        Optional<Waiter> whose = queue.waiterOf(signal.tenure());
        whose.ifPresent(waiter -> {
            InFlight request = waiter.ticket().request;
            if (request != null) {
                request.assigned = signal;
            } else {
                apply(waiter.ticket(), waiter, signal, now, out);
            }
        });
        return whose.isPresent();
    }

    private void apply(Tenure ticket, Waiter waiter, Signal.Assigned signal, long now, Effect.Buffer out) {
        if (claim(ticket, waiter, signal, ticket.base, now) && waiter.spec.takesAny()) {
            serve(ticket, waiter, now, out);
        } else {
            ask(waiter, out);
        }
    }

    @Override
    public void revoked(TenureId id, long now, Effect.Buffer out) {
        queue.waiterOf(id).ifPresent(waiter -> waiter.ticket().unassign());
    }

    @Override
    void askAfterGap(Effect.Buffer out) {
        queue.stream().map(Waiter::ticket).forEach(ticket -> ticket.base = null);
        askFirst(out);
    }

    // ---- the end

    @Override
    void askForTheRest(long now, Effect.Buffer out) {
        goOn(now, out);
    }

    @Override
    void abandonIfUnused(Effect.Buffer out) {
        if (queue.isEmpty()) {
            first = null;
            retireIfEmpty(out);
        }
    }

    // ---- nothing is held here

    @Override
    boolean mayHave(Waiter head) {
        return false;
    }

    @Override
    void passOn(Hold hold, long now, Effect.Buffer out) {
        throw held();
    }

    @Override
    Settlement settlement(Tenure current, boolean yield, Effect.Buffer out) {
        throw held();
    }

    private IllegalStateException held() {
        return new IllegalStateException(label() + ": held in the slot of its waiters");
    }
}
