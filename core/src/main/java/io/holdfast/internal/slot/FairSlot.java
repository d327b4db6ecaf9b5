package io.holdfast.internal.slot;

import io.holdfast.internal.access.Durations;
import io.holdfast.internal.slot.Tenure.ClockSample;
import io.holdfast.spi.Acquire;
import io.holdfast.spi.Acquire.Queueing;
import io.holdfast.spi.Share;
import io.holdfast.spi.Signal;
import io.holdfast.spi.StoreException;
import io.holdfast.spi.TenureId;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A slot whose name is acquired in the order in which its waiters arrived at the store, across all clients (first come, first
 * served).
 *
 * <h2>Invariants, besides those of {@link Slot}</h2>
 *
 * <ol>
 *   <li>The wait queue is in the order of the positions at the store, as far as the store has assigned them.
 *   <li>If the wait queue is not empty and no call is in flight, a poll is scheduled.
 *   <li>Only the first tickets of the wait queue have positions at the store: as many as the store allows the client, minus
 *       those of used tickets. So the positions of this client are always in the order of its wait queue.
 *   <li>A ticket that left the wait queue may still have a position at the store. If its waiter was granted the tenure of
 *       another ticket, the release of that tenure withdraws the position. Otherwise, a settlement withdraws it.
 * </ol>
 *
 * <h2>How it works</h2>
 *
 * <p>Each waiter has a <em>ticket</em>, a tenure of its own with a position at the store. There is no barging. One call at a
 * time is in flight. It requests the ticket of the head of the wait queue, and carries along the tickets of the waiters that
 * arrived since. After that, signals drive the slot: a release assigns the name to the first position, whichever client it
 * belongs to. The poll of the head refreshes all positions, and repairs lost wake-ups. When signals may have been missed, all
 * positions are requested again with their old arrival times.
 *
 * <p>An assignment also reports up to which arrival the positions behind it belong to this client, without a gap. The tenure is
 * handed over to these waiters without a store call. Each receives the next token. Their tickets count as used, and the release
 * of the tenure withdraws their positions. Waiters that arrive later are excluded, so the order of the positions is preserved.
 *
 * <p>A store may limit the positions of a client. The other tickets then wait locally, and are sent when positions become free.
 * Each is sent with its waiting time, so that it receives about the position that it would have had without the limit. If the
 * request for a new position overtakes the withdrawal of an old one, the store has no room. The position is then requested
 * again later.
 *
 * <h2>References</h2>
 *
 * <p>The counterpart inside one JVM is a fair {@link java.util.concurrent.locks.ReentrantLock}, whose queue is that of
 * {@link java.util.concurrent.locks.AbstractQueuedSynchronizer}.
 */
final class FairSlot extends Slot {

    /** The maximum number of further positions in one call. */
    private static final int MAX_PLACES = 500;

    private boolean requestInFlight;

    /**
     * Set if the name may have become free after the call in flight was sent. Its reply may then be outdated, so another
     * request follows.
     */
    private boolean openedMeanwhile;

    private long pollNumber;
    private @Nullable ClockSample clockSample;

    /** An assignment that arrived before the reply that is needed to interpret its time. */
    private Signal.@Nullable Assigned earlyAssignment;

    /** The arrival up to which the tenure may be handed over to waiters of this client; 0 for none. */
    private long handOverUpTo;

    private final List<Tenure> usedTickets = new ArrayList<>(0);

    FairSlot(String name, Share share, SlotConfig config, Supplier<TenureId> ids) {
        super(name, share, config, ids);
    }

    // ---- waiters

    @Override
    boolean admit(Waiter waiter, long now, Effect.Buffer out) {
        if (waiter.outOfTime(now) && (tenure != null || !queue.isEmpty())) {
            waiter.outcome = new Outcome.Busy(Optional.empty());
            if (!waiter.acquiresItself()) {
                out.add(new Effect.Notify(waiter));
            }
            return true;
        }
        newTicket(waiter);
        queue.add(waiter);
        if (!requestInFlight && queue.size() <= placeLimit()) {
            request(out);
        }
        return true;
    }

    @Override
    boolean remove(Waiter waiter, long now, Effect.Buffer out) {
        boolean removed = queue.remove(waiter);
        if (removed) {
            withdrawTicket(waiter, out);
            requestFreedPlaces(out);
            abandonIfUnused(out);
        }
        return removed;
    }

    @Override
    boolean awaitsAnswer(Waiter waiter) {
        boolean first = tenure == null && queue.peek() == waiter;
        return first && (!waiter.answered || waiter.ticket().inFlight());
    }

    @Override
    void notifyRemoved(Waiter waiter, Effect.Buffer out) {
        withdrawTicket(waiter, out);
        super.notifyRemoved(waiter, out);
    }

    /** Withdraws the position that the ticket may have. If the ticket is already the tenure, releases it. */
    private void withdrawTicket(Waiter waiter, Effect.Buffer out) {
        Tenure ticket = waiter.ticket();
        if (ticket == tenure) {
            releaseTenure(ticket, true, out);
            return;
        }
        ticket.state = Tenure.State.ENDED;
        if (mayHavePlace(ticket)) {
            out.add(new Effect.Settle(new Settlement(name, ticket, true, List.of())));
        }
    }

    private static boolean mayHavePlace(Tenure ticket) {
        return ticket.arrival != 0 || ticket.queued || ticket.inFlight() || ticket.copies.unanswered();
    }

    // ---- handing the tenure over

    @Override
    boolean mayHandOverTo(Waiter head) {
        return head.ticket() == tenure || (head.ticket().queued && head.ticket().arrival <= handOverUpTo);
    }

    @Override
    void dequeued(Waiter waiter, long now) {
        Tenure ticket = waiter.ticket();
        if (ticket != tenure) {
            ticket.state = Tenure.State.ENDED;
            usedTickets.add(ticket);
        }
    }

    @Override
    void afterRelease(Hold hold, long now, Effect.Buffer out) {
        Waiter head = queue.peek();
        if (head != null && !hold.doubtful && mayHandOverTo(head)) {
            handOverToHead(now, out);
        } else {
            hold.settlement = releaseTenure(hold.tenure, true, out);
            requestFreedPlaces(out);
        }
    }

    /**
     * Creates a settlement that also withdraws the positions of the used tickets. If a late duplicate may create the position
     * of a ticket again, that ticket gets a settlement of its own.
     */
    @Override
    Settlement settlement(Tenure current, boolean yield, Effect.Buffer out) {
        return new Settlement(name, current, true, current == tenure ? takeUsedPlaces(out) : List.of());
    }

    private List<TenureId> takeUsedPlaces(Effect.Buffer out) {
        List<TenureId> places = new ArrayList<>();
        for (Tenure ticket : usedTickets) {
            if (ticket.inFlight() || ticket.copies.unanswered()) {
                out.add(new Effect.Settle(new Settlement(name, ticket, true, List.of())));
            } else {
                places.add(ticket.id);
            }
        }
        usedTickets.clear();
        handOverUpTo = 0;
        return places;
    }

    // ---- requests

    private void request(Effect.Buffer out) {
        request(withoutPlace(), out);
    }

    private void request(Stream<Waiter> along, Effect.Buffer out) {
        Waiter head = Objects.requireNonNull(queue.peek());
        Tenure ticket = head.ticket();
        List<Tenure> behind = along.filter(waiter -> waiter != head)
                .map(Waiter::ticket)
                .limit(MAX_PLACES)
                .toList();
        requestInFlight = true;
        openedMeanwhile = false;
        ticket.startRequest(head.canWait());
        behind.forEach(follower -> follower.startRequest(true));
        out.add(new Effect.Request(
                ticket, head.spec.initial(), head.canWait() ? Queueing.FAIR : Queueing.NONE, behind));
    }

    /** Returns the number of waiters that can have a position. Used tickets occupy theirs until the tenure ends. */
    private int placeLimit() {
        return Math.max(1, config.fairPlaces() - usedTickets.size());
    }

    private Stream<Waiter> placeCandidates() {
        return queue.stream().limit(placeLimit());
    }

    /**
     * Returns the waiters that can have a position and need one. To preserve the order, it stops at the first waiter for which
     * the store had no room.
     */
    private Stream<Waiter> withoutPlace() {
        return placeCandidates().takeWhile(waiter -> !waiter.ticket().noRoom).filter(this::needsPlace);
    }

    /** Requests positions that have become free, for waiters that had to wait locally for them. */
    private void requestFreedPlaces(Effect.Buffer out) {
        Waiter head = queue.peek();
        boolean limited = config.fairPlaces() < Integer.MAX_VALUE;
        if (limited
                && !requestInFlight
                && head != null
                && head.ticket() != tenure
                && withoutPlace().findAny().isPresent()) {
            request(out);
        }
    }

    private boolean needsPlace(Waiter waiter) {
        Tenure ticket = waiter.ticket();
        return waiter.canWait() && !ticket.queued && !ticket.inFlight() && ticket != tenure;
    }

    private void requestIfNeeded(Effect.Buffer out) {
        if (!requestInFlight && !queue.isEmpty()) {
            request(out);
        }
    }

    private void pollIn(long nanos, Effect.Buffer out) {
        out.add(new Effect.PollIn(Objects.requireNonNull(queue.peek()).ticket(), ++pollNumber, nanos));
    }

    @Override
    public void poll(Effect.PollIn poll, long now, Effect.Buffer out) {
        if (poll.number() == pollNumber && !requestInFlight && !queue.isEmpty()) {
            queue.removeExpired(poll.tenure(), now).forEach(waiter -> notifyRemoved(waiter, out));
            if (!queue.isEmpty()) {
                request(placeCandidates().filter(Waiter::canWait), out);
            }
            abandonIfUnused(out);
        }
    }

    // ---- replies

    @Override
    public void placed(List<Tenure> behind, List<Long> arrivals) {
        for (int i = 0; i < behind.size(); i++) {
            Tenure ticket = behind.get(i);
            InFlight request = ticket.endRequest();
            if (i < arrivals.size()) {
                ticket.refusedWith(arrivals.get(i), request);
                ticket.arrival = arrivals.get(i);
            }
        }
    }

    private boolean endRequest(Tenure requested) {
        requestInFlight = false;
        requested.endRequest();
        return requested.state != Tenure.State.ENDED;
    }

    @Override
    public void granted(Tenure requested, Acquire.Granted reply, Validity proven, long now, Effect.Buffer out) {
        if (!endRequest(requested)) {
            if (requested.settlement == null) {
                out.add(new Effect.Settle(new Settlement(name, requested, true, List.of())));
            }
            requestIfNeeded(out);
            return;
        }
        openedMeanwhile = false;
        displace(requested, now, out);
        storeGranted(requested);
        Optional<Waiter> found = queue.waiterOf(requested.id);
        confirm(
                requested,
                proven,
                found.map(waiter -> waiter.spec.endOf(proven)).orElse(Durations.NEVER));
        requested.tokens.adopt(reply.tokens());
        found.ifPresent(waiter -> {
            requested.preparedFor = waiter;
            makeCurrent(requested, waiter, 0, now, out);
        });
        requestPlacesOrPoll(config.poll(), out);
    }

    @Override
    public void refused(Tenure requested, Acquire.Refused reply, ClockSample sample, long now, Effect.Buffer out) {
        clockSample = sample;
        InFlight request = requested.endRequest();
        if (endRequest(requested) && !requested.held()) {
            requested.arrival = reply.arrival();
            requested.refusedWith(reply.arrival(), request);
        }
        recordRefusal(requested, reply, now).forEach(waiter -> notifyRemoved(waiter, out));
        Signal.Assigned before = earlyAssignment;
        earlyAssignment = null;
        if (before != null) {
            var unused = assigned(before, now, out);
        }
        requestPlacesOrPoll(retryAfter(requested, reply, now), out);
        abandonIfUnused(out);
    }

    /** Continues after a reply: requests positions for waiters that arrived in the meantime, or schedules a poll. */
    private void requestPlacesOrPoll(long atMost, Effect.Buffer out) {
        if (requestInFlight || queue.isEmpty()) {
            return;
        }
        if (openedMeanwhile || withoutPlace().findAny().isPresent()) {
            request(out);
        } else {
            pollIn(Math.min(atMost, config.client().jittered(config.poll())), out);
        }
    }

    @Override
    void repeat(Tenure requested, long now, Effect.Buffer out) {
        if (endRequest(requested)) {
            queue.removeExpired(requested, now).forEach(waiter -> notifyRemoved(waiter, out));
        }
        requestIfNeeded(out);
        abandonIfUnused(out);
    }

    @Override
    public void failed(Tenure requested, StoreException cause, long now, Effect.Buffer out) {
        // even if the waiter of this ticket has been removed, the other waiters waited for the same answer
        if (endRequest(requested) || !queue.isEmpty()) {
            queue.requestFailed(requested, cause, now);
            queue.removeExpired(requested, now).forEach(waiter -> notifyRemoved(waiter, out));
        }
        if (!queue.isEmpty()) {
            long delay = queue.backoff(requested, now);
            if (cause.effect() == StoreException.Effect.UNCONFIRMED && requested != tenure) {
                queue.waiterOf(requested.id).ifPresent(waiter -> replaceTicket(waiter, now, out));
            }
            pollIn(delay, out);
        }
        abandonIfUnused(out);
    }

    /**
     * Replaces a ticket that was granted at the store, although the grant cannot be relied on. The ticket is released so that
     * it does not exclude others. The new ticket queues behind them.
     */
    private void replaceTicket(Waiter waiter, long now, Effect.Buffer out) {
        withdrawTicket(waiter, out);
        recordReplaced(waiter.ticket());
        newTicket(waiter);
        waiter.ticket().arrival = 0;
        waiter.ticket().waitingSince = now;
        queue.moveToBack(waiter);
    }

    // ---- signals

    /** Does nothing, because this signal is for barging waiters. */
    @Override
    public void freed(Effect.Buffer out) {}

    /**
     * Sends a request, even if it is not the turn of this client: any request makes the store assign the name to its first
     * position.
     */
    @Override
    public void opened(Effect.Buffer out) {
        openedMeanwhile = requestInFlight;
        if (tenure == null) {
            requestIfNeeded(out);
        }
    }

    @Override
    public boolean assigned(Signal.Assigned signal, long now, Effect.Buffer out) {
        Optional<Waiter> found = queue.waiterOf(signal.tenure());
        Tenure current = tenure;
        if (found.isEmpty()) {
            return current != null && current.id.equals(signal.tenure());
        }
        Tenure ticket = found.get().ticket();
        if (clockSample == null && requestInFlight) {
            earlyAssignment = signal;
        } else if (claim(ticket, found.get(), signal, clockSample, now)) {
            displace(ticket, now, out);
            makeCurrent(ticket, found.get(), signal.next(), now, out);
            requestFreedPlaces(out);
        } else {
            ticket.queued = false;
            // a reply that was sent before the assignment reports a position that no longer exists
            openedMeanwhile |= requestInFlight;
            requestIfNeeded(out);
        }
        return true;
    }

    /**
     * Loses the present tenure when the store has granted or assigned the name to another ticket. The present tenure has then
     * ended at the store, although no reply has reported that yet.
     */
    private void displace(Tenure ticket, long now, Effect.Buffer out) {
        Tenure before = tenure;
        if (before != null && before != ticket) {
            lose(before, "the store has assigned it to the next waiter", now, out);
        }
    }

    private void makeCurrent(Tenure ticket, Waiter waiter, long followers, long now, Effect.Buffer out) {
        queue.moveToFront(waiter);
        tenure = ticket;
        ticket.queued = false;
        handOverUpTo = followers;
        if (ticket.preparedFor == waiter || waiter.spec.acceptsAnyTenure()) {
            ticket.preparedFor = waiter;
            becomeHeld(ticket, now, out);
        } else {
            ticket.state = Tenure.State.HELD;
            out.add(new Effect.Watch(ticket));
            prepare(ticket, waiter, out);
        }
    }

    @Override
    void requestAfterGap(Effect.Buffer out) {
        clockSample = null;
        queue.stream().map(Waiter::ticket).forEach(ticket -> ticket.queued = false);
        requestIfNeeded(out);
    }

    // ---- the end of a tenure

    @Override
    void requestForRemaining(long now, Effect.Buffer out) {
        List<TenureId> places = takeUsedPlaces(out);
        if (!places.isEmpty()) {
            Tenure first = new Tenure(places.get(0), share);
            out.add(new Effect.Settle(new Settlement(name, first, true, places)));
        }
        queue.stream()
                .filter(waiter -> waiter.ticket().state == Tenure.State.ENDED)
                .forEach(this::newTicket);
        requestIfNeeded(out);
        retireIfEmpty(out);
    }

    /**
     * Creates a ticket for the waiter. If its earlier ticket was lost before it became the owner, the new ticket requests the
     * position of the earlier one.
     */
    private void newTicket(Waiter waiter) {
        Tenure before = waiter.ticket;
        Tenure fresh = newTenure(share);
        fresh.spec = waiter.spec.initial();
        fresh.waitingSince = before == null ? waiter.arrived : before.waitingSince;
        if (before == null) {
            fresh.startedAt = waiter.arrived;
        } else {
            fresh.continueFrom(before);
            fresh.arrival = before.arrival;
        }
        waiter.ticket = fresh;
    }

    @Override
    void abandonIfUnused(Effect.Buffer out) {
        Tenure current = tenure;
        if (current != null && owner() == null && queue.isEmpty()) {
            releaseTenure(current, true, out);
        } else {
            retireIfEmpty(out);
        }
    }
}
