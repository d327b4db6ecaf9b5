package io.holdfast.internal.slot;

import io.holdfast.internal.slot.Tenure.ClockSample;
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
 *   <li>Only the first ticket of the wait queue has a position at the store.
 *   <li>If the wait queue is not empty and no call for its first waiter is in flight, a poll is scheduled.
 *   <li>A ticket that left the wait queue, and that the store may know, is the tenure of another slot, or a settlement releases
 *       it.
 * </ol>
 *
 * <h2>How it works</h2>
 *
 * <p>A newcomer sends one request for itself, and may acquire free permits ahead of the waiters (barging). If it is refused, it
 * waits in the wait queue, and sends no further request until it is the first. Only the first waiter has a position in the
 * store's queue, and polls. So the load on the store does not grow with the number of waiters (no thundering herd).
 *
 * <p>Each waiter has a <em>ticket</em>, a tenure of its own, because each may want another number of permits. A granted ticket
 * leaves the wait queue at once, and becomes the tenure of a slot with its waiter as the only owner. This slot never holds
 * anything. The next waiter is then the first, and sends a request. If the first waiter is removed without a grant, the next
 * one inherits its arrival time, so the client does not lose its turn. A newcomer whose request failed is answered by the next
 * reply to the first waiter.
 *
 * <h2>References</h2>
 *
 * <p>A nonfair {@link java.util.concurrent.Semaphore} does the same with its own queue: a thread barges once, and then waits
 * for its turn.
 */
final class PermitQueue extends Slot {

    private final Consumer<Slot> addOwnSlot;

    /** The ticket of the first waiter when the queue last advanced; null if that ticket was granted. */
    private @Nullable Tenure first;

    private long pollNumber;
    private long pollAt;

    /**
     * Creates the wait queue of a semaphore.
     *
     * @param addOwnSlot adds the slot of a waiter that was granted permits, so that signals find it from then on
     */
    PermitQueue(String name, SlotConfig config, Supplier<TenureId> ids, Consumer<Slot> addOwnSlot) {
        super(name, Share.permits(1), config, ids);
        this.addOwnSlot = addOwnSlot;
    }

    // ---- waiters

    @Override
    boolean admit(Waiter waiter, long now, Effect.Buffer out) {
        waiter.ticket = newTenure(waiter.spec.share());
        waiter.ticket().startedAt = now;
        queue.add(waiter);
        request(waiter, out);
        advance(now, out);
        return true;
    }

    @Override
    boolean awaitsAnswer(Waiter waiter) {
        return waiter.ticket().inFlight() || !waiter.answered;
    }

    @Override
    boolean remove(Waiter waiter, long now, Effect.Buffer out) {
        boolean removed = queue.remove(waiter);
        if (removed) {
            withdrawTicket(waiter.ticket(), out);
            advance(now, out);
        }
        return removed;
    }

    @Override
    void notifyRemoved(Waiter waiter, Effect.Buffer out) {
        withdrawTicket(waiter.ticket(), out);
        super.notifyRemoved(waiter, out);
    }

    private void withdrawTicket(Tenure ticket, Effect.Buffer out) {
        ticket.state = Tenure.State.ENDED;
        if (ticket.queued || ticket.inFlight() || ticket.copies.unanswered()) {
            out.add(new Effect.Settle(new Settlement(name, ticket, false, List.of())));
        }
    }

    /** Advances the wait queue: a waiter that has become the first sends a request. */
    private void advance(long now, Effect.Buffer out) {
        Waiter head = queue.peek();
        if (head == null) {
            first = null;
            retireIfEmpty(out);
        } else if (head.ticket() != first) {
            makeFirst(head.ticket(), now);
            if (!head.ticket().inFlight()) {
                request(head, out);
            }
        }
    }

    private void makeFirst(Tenure next, long now) {
        Tenure before = first;
        next.startedAt = before == null ? now : before.startedAt;
        next.arrival = before == null ? 0 : before.arrival;
        next.failures = before == null ? 0 : before.failures;
        first = next;
    }

    // ---- requests

    /** Records that a request is about to be sent. The answer to a newcomer is for that newcomer alone. */
    @Override
    public long onSend(Tenure ticket, long now) {
        Waiter newcomer = ticket.preparedFor;
        return ticket == first || newcomer == null ? queue.onSend(ticket, now) : queue.onSend(newcomer, ticket, now);
    }

    private void request(Waiter waiter, Effect.Buffer out) {
        Tenure ticket = waiter.ticket();
        ticket.startRequest(needsPlace(waiter));
        ticket.preparedFor = waiter;
        out.add(new Effect.Request(
                ticket, waiter.spec.initial(), needsPlace(waiter) ? Queueing.BARGING : Queueing.NONE, List.of()));
    }

    /** Returns {@code true} if the waiter needs a position at the store. Only the first one has a position. */
    private boolean needsPlace(Waiter waiter) {
        return queue.peek() == waiter;
    }

    private void requestForFirst(Effect.Buffer out) {
        Waiter head = queue.peek();
        InFlight request = head == null ? null : head.ticket().request;
        if (request != null) {
            request.freed = true;
        } else if (head != null) {
            request(head, out);
        }
    }

    private void pollIn(Tenure requested, long nanos, long now, Effect.Buffer out) {
        pollAt = now + nanos;
        out.add(new Effect.PollIn(requested, ++pollNumber, nanos));
    }

    @Override
    public void poll(Effect.PollIn poll, long now, Effect.Buffer out) {
        if (poll.number() == pollNumber && !poll.tenure().inFlight()) {
            queue.removeExpired(poll.tenure(), now).forEach(waiter -> notifyRemoved(waiter, out));
            if (poll.tenure().state == Tenure.State.WAITING) {
                queue.waiterOf(poll.tenure().id).ifPresent(waiter -> request(waiter, out));
            }
            advance(now, out);
        }
    }

    // ---- replies

    @Override
    public void granted(Tenure requested, Acquire.Granted reply, Validity proven, long now, Effect.Buffer out) {
        requested.endRequest();
        if (requested.state == Tenure.State.WAITING) {
            Waiter waiter = Objects.requireNonNull(requested.preparedFor);
            storeGranted(requested);
            requested.confirm(proven, waiter.spec.endOf(proven));
            requested.tokens.adopt(reply.tokens());
            moveToOwnSlot(requested, waiter, now, out);
        }
    }

    /** Moves the granted ticket and its waiter from the wait queue into a slot of their own. */
    private void moveToOwnSlot(Tenure ticket, Waiter waiter, long now, Effect.Buffer out) {
        Slot own = new BargingSlot(name, ticket.share, config, ids);
        Effect.Buffer effectsOfOwn = own.on((slot, effects) -> {
            slot.startWith(ticket, waiter, now, effects);
            // before the mutex is free: after that, the owner may release its hold, which retires this slot
            addOwnSlot.accept(slot);
        });
        queue.remove(waiter);
        first = ticket == first ? null : first;
        out.add(new Effect.InOtherSlot(own, effectsOfOwn));
        out.add(new Effect.Notify(waiter));
        advance(now, out);
    }

    @Override
    public void refused(Tenure requested, Acquire.Refused reply, ClockSample sample, long now, Effect.Buffer out) {
        InFlight request = requested.endRequest();
        if (requested.state != Tenure.State.WAITING) {
            return;
        }
        requested.clockSample = sample;
        requested.refusedWith(reply.arrival(), request);
        requested.arrival = reply.arrival() == 0 ? requested.arrival : reply.arrival();
        if (requested != first) {
            newcomerRefused(requested, reply, now, out);
            return;
        }
        recordRefusal(requested, reply, now).forEach(waiter -> notifyRemoved(waiter, out));
        if (requested.state == Tenure.State.WAITING) {
            keepWaiting(request, requested, Objects.requireNonNull(queue.peek()), reply, now, out);
        }
        advance(now, out);
    }

    private void newcomerRefused(Tenure requested, Acquire.Refused reply, long now, Effect.Buffer out) {
        if (!refusedByReplaced(reply)) {
            storeAnswered(requested);
            Waiter newcomer = Objects.requireNonNull(requested.preparedFor);
            queue.refused(newcomer, reply.holder(), now).ifPresent(waiter -> notifyRemoved(waiter, out));
        }
    }

    private void keepWaiting(
            InFlight request, Tenure requested, Waiter head, Acquire.Refused reply, long now, Effect.Buffer out) {
        if (request.assigned != null) {
            applyAssignment(requested, head, request.assigned, now, out);
        } else if (request.freed || (needsPlace(head) && reply.arrival() == 0 && !requested.noRoom)) {
            request(head, out);
        } else {
            pollIn(requested, Math.min(retryAfter(requested, reply, now), pollDelay(requested)), now, out);
        }
    }

    @Override
    void repeat(Tenure requested, long now, Effect.Buffer out) {
        requested.endRequest();
        if (requested.state == Tenure.State.WAITING) {
            queue.removeExpired(requested, now).forEach(waiter -> notifyRemoved(waiter, out));
            queue.waiterOf(requested.id).ifPresent(waiter -> request(waiter, out));
            advance(now, out);
        }
    }

    @Override
    public void failed(Tenure requested, StoreException cause, long now, Effect.Buffer out) {
        requested.endRequest();
        if (requested.state == Tenure.State.WAITING) {
            if (cause.effect() == StoreException.Effect.REFUSED) {
                queue.waiterOf(requested.id).ifPresent(waiter -> fail(waiter, cause, now, out));
            } else {
                queue.requestFailed(requested, cause, now);
                queue.removeExpired(requested, now).forEach(waiter -> notifyRemoved(waiter, out));
                queue.waiterOf(requested.id).ifPresent(waiter -> retryLater(waiter, cause, now, out));
            }
            advance(now, out);
        }
    }

    /**
     * Ends one waiter by an error. A request can be refused for one waiter alone, for example if it requests more permits than
     * exist.
     */
    private void fail(Waiter waiter, StoreException cause, long now, Effect.Buffer out) {
        queue.remove(waiter);
        waiter.outcome = new Outcome.Failed(config.client().failure(name, waiter, waiter.ticket(), cause, now));
        notifyRemoved(waiter, out);
    }

    private void retryLater(Waiter waiter, StoreException cause, long now, Effect.Buffer out) {
        Tenure requested = waiter.ticket();
        long delay = queue.backoff(requested, now);
        boolean isFirst = requested == first;
        if (cause.effect() == StoreException.Effect.UNCONFIRMED || (!isFirst && requested.outcomeUnknown())) {
            replaceTicket(waiter, out);
        }
        Tenure next = first;
        if (next != null && !next.inFlight() && (isFirst || pollAt - now > delay)) {
            pollIn(next, delay, now, out);
        }
    }

    /**
     * Replaces a ticket that may have been granted at the store, although the grant cannot be relied on. The ticket is released
     * so that it does not exclude others. The new ticket queues behind them.
     */
    private void replaceTicket(Waiter waiter, Effect.Buffer out) {
        Tenure before = waiter.ticket();
        withdrawTicket(before, out);
        recordReplaced(before);
        Tenure fresh = newTenure(waiter.spec.share());
        fresh.continueFrom(before);
        waiter.ticket = fresh;
        first = before == first ? fresh : first;
    }

    // ---- signals

    @Override
    public void freed(Effect.Buffer out) {
        requestForFirst(out);
    }

    @Override
    public boolean assigned(Signal.Assigned signal, long now, Effect.Buffer out) {
        Optional<Waiter> found = queue.waiterOf(signal.tenure());
        found.ifPresent(waiter -> {
            InFlight request = waiter.ticket().request;
            if (request != null) {
                request.assigned = signal;
            } else {
                applyAssignment(waiter.ticket(), waiter, signal, now, out);
            }
        });
        return found.isPresent();
    }

    private void applyAssignment(Tenure ticket, Waiter waiter, Signal.Assigned signal, long now, Effect.Buffer out) {
        if (claim(ticket, waiter, signal, ticket.clockSample, now) && waiter.spec.acceptsAnyTenure()) {
            moveToOwnSlot(ticket, waiter, now, out);
        } else {
            request(waiter, out);
        }
    }

    @Override
    public void revoked(TenureId id, long now, Effect.Buffer out) {
        queue.waiterOf(id).ifPresent(waiter -> waiter.ticket().unassign());
    }

    @Override
    void requestAfterGap(Effect.Buffer out) {
        queue.stream().map(Waiter::ticket).forEach(ticket -> ticket.clockSample = null);
        requestForFirst(out);
    }

    // ---- the end

    @Override
    void requestForRemaining(long now, Effect.Buffer out) {
        advance(now, out);
    }

    @Override
    void abandonIfUnused(Effect.Buffer out) {
        if (queue.isEmpty()) {
            first = null;
            retireIfEmpty(out);
        }
    }

    // ---- not used, because this slot holds nothing

    @Override
    boolean mayHandOverTo(Waiter head) {
        return false;
    }

    @Override
    void afterRelease(Hold hold, long now, Effect.Buffer out) {
        throw notHeldHere();
    }

    @Override
    Settlement settlement(Tenure current, boolean yield, Effect.Buffer out) {
        throw notHeldHere();
    }

    private IllegalStateException notHeldHere() {
        return new IllegalStateException(label() + ": held in the slot of its waiters");
    }
}
