package io.holdfast.internal.slot;

import io.holdfast.internal.access.Durations;
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
 *   <li>If somebody waits and no call is in flight, a poll is scheduled.
 *   <li>Only the first tickets of the wait queue have positions at the store: as many as the store allows the client, less the
 *       used ones. So the positions of this client are always in the order of its wait queue.
 *   <li>A ticket that left the wait queue without the tenure, and that may have a position at the store, is given up or served.
 *       If it is served, the end of the tenure withdraws its position.
 * </ol>
 *
 * <h2>How it works</h2>
 *
 * <p>Each waiter has a <em>ticket</em>, a tenure of its own with a position at the store. There is no barging. One call at a
 * time is in flight. It requests the ticket of the head of the wait queue, and carries along the tickets of the waiters that
 * arrived since. Everything further happens by signals: a release assigns the name to the first position, whichever client it
 * belongs to. The poll of the head refreshes all positions, and repairs lost wake-ups. When signals may have been missed, all
 * positions are requested again, where they were.
 *
 * <p>An assignment also says up to which arrival the positions behind it belong to this client, without a gap. These waiters
 * are served from the one tenure, without a store call, each with its next token. Their tickets are used up, and the release of
 * the tenure withdraws their positions. Waiters that arrive later are not among them, so the order is still that of the
 * positions.
 *
 * <p>A store may allow few positions. The other tickets then wait here alone, and are sent as positions come free. Each says
 * for how long it has waited, so its turn comes about when it would have come if it had been sent at once. If a withdrawal is
 * overtaken by the request for the next position, the store has no room for it, and it is requested again later.
 *
 * <h2>References</h2>
 *
 * <p>The counterpart inside one JVM is a fair {@link java.util.concurrent.locks.ReentrantLock}, whose queue is that of
 * {@link java.util.concurrent.locks.AbstractQueuedSynchronizer}.
 */
final class FairSlot extends Slot {

    /** The maximum number of further positions in one call. */
    private static final int MOST_PLACES = 500;

    private boolean asking;

    /**
     * Set if the name became free after the call in flight was sent, as far as known. Its reply may then be outdated, so the
     * store is asked again.
     */
    private boolean openedMeanwhile;

    private long pollNumber;
    private Tenure.@Nullable Base base;

    /** An assignment that arrived before the reply that is needed to interpret its time. */
    private Signal.@Nullable Assigned early;

    /** The arrival up to which positions of the wait queue may be served from the tenure; 0 for none. */
    private long nextUpTo;

    private final List<Tenure> used = new ArrayList<>(0);

    FairSlot(String name, Share share, SlotConfig config, Supplier<TenureId> ids) {
        super(name, share, config, ids);
    }

    // ---- waiters

    @Override
    boolean admit(Waiter waiter, long now, Effect.Buffer out) {
        if (waiter.outOfTime(now) && (tenure != null || !queue.isEmpty())) {
            waiter.outcome = new Outcome.Busy(Optional.empty());
            if (!waiter.canTake()) {
                out.add(new Effect.Tell(waiter));
            }
            return true;
        }
        newTicket(waiter);
        queue.add(waiter);
        if (!asking && queue.size() <= room()) {
            ask(out);
        }
        return true;
    }

    @Override
    boolean remove(Waiter waiter, long now, Effect.Buffer out) {
        boolean waited = queue.remove(waiter);
        if (waited) {
            leave(waiter, out);
            askForFreedPlaces(out);
            abandonIfUnused(out);
        }
        return waited;
    }

    @Override
    boolean awaitsAnswer(Waiter waiter) {
        boolean first = tenure == null && queue.peek() == waiter;
        return first && (!waiter.answered || waiter.ticket().inFlight());
    }

    @Override
    void ended(Waiter waiter, Effect.Buffer out) {
        leave(waiter, out);
        super.ended(waiter, out);
    }

    /** Withdraws the position that the ticket may have. If the ticket has become the tenure already, gives the tenure up. */
    private void leave(Waiter waiter, Effect.Buffer out) {
        Tenure ticket = waiter.ticket();
        if (ticket == tenure) {
            giveUp(ticket, true, out);
            return;
        }
        ticket.state = Tenure.State.ENDED;
        if (mayHavePlace(ticket)) {
            out.add(new Effect.GiveUp(new Settlement(name, ticket, true, List.of())));
        }
    }

    private static boolean mayHavePlace(Tenure ticket) {
        return ticket.arrival != 0 || ticket.queued || ticket.inFlight() || ticket.copies.unanswered();
    }

    // ---- passing the tenure on

    @Override
    boolean mayHave(Waiter head) {
        return head.ticket() == tenure || (head.ticket().queued && head.ticket().arrival <= nextUpTo);
    }

    @Override
    void served(Waiter waiter, long now) {
        Tenure ticket = waiter.ticket();
        if (ticket != tenure) {
            ticket.state = Tenure.State.ENDED;
            used.add(ticket);
        }
    }

    @Override
    void passOn(Hold hold, long now, Effect.Buffer out) {
        Waiter head = queue.peek();
        if (head != null && mayHave(head)) {
            handOut(now, out);
        } else {
            hold.settlement = giveUp(hold.tenure, true, out);
            askForFreedPlaces(out);
        }
    }

    /**
     * Creates a settlement that also withdraws the positions of the used tickets. A ticket whose position a late duplicate may
     * bring back is given up by itself.
     */
    @Override
    Settlement settlement(Tenure current, boolean yield, Effect.Buffer out) {
        return new Settlement(name, current, true, current == tenure ? takeUsed(out) : List.of());
    }

    private List<TenureId> takeUsed(Effect.Buffer out) {
        List<TenureId> places = new ArrayList<>();
        for (Tenure ticket : used) {
            if (ticket.inFlight() || ticket.copies.unanswered()) {
                out.add(new Effect.GiveUp(new Settlement(name, ticket, true, List.of())));
            } else {
                places.add(ticket.id);
            }
        }
        used.clear();
        nextUpTo = 0;
        return places;
    }

    // ---- asking

    private void ask(Effect.Buffer out) {
        ask(newcomers(), out);
    }

    private void ask(Stream<Waiter> along, Effect.Buffer out) {
        Waiter head = Objects.requireNonNull(queue.peek());
        Tenure ticket = head.ticket();
        List<Tenure> behind = along.filter(waiter -> waiter != head)
                .map(Waiter::ticket)
                .limit(MOST_PLACES)
                .toList();
        asking = true;
        openedMeanwhile = false;
        ticket.startRequest(head.waits());
        behind.forEach(follower -> follower.startRequest(true));
        out.add(new Effect.Ask(ticket, head.spec.first(), head.waits() ? Queueing.FAIR : Queueing.NONE, behind));
    }

    /** Returns the number of waiters that can have a position. Used tickets keep theirs until the end of the tenure. */
    private int room() {
        return Math.max(1, config.fairPlaces() - used.size());
    }

    private Stream<Waiter> first() {
        return queue.stream().limit(room());
    }

    /** Returns the waiters that can have a position and need one. None passes a waiter for which the store had no room. */
    private Stream<Waiter> newcomers() {
        return first().takeWhile(waiter -> !waiter.ticket().noRoom).filter(this::needsPlace);
    }

    /** Asks for waiters that have waited here alone until now, because others had all the positions. */
    private void askForFreedPlaces(Effect.Buffer out) {
        Waiter head = queue.peek();
        boolean limited = config.fairPlaces() < Integer.MAX_VALUE;
        if (limited
                && !asking
                && head != null
                && head.ticket() != tenure
                && newcomers().findAny().isPresent()) {
            ask(out);
        }
    }

    private boolean needsPlace(Waiter waiter) {
        Tenure ticket = waiter.ticket();
        return waiter.waits() && !ticket.queued && !ticket.inFlight() && ticket != tenure;
    }

    private void askIfWanted(Effect.Buffer out) {
        if (!asking && !queue.isEmpty()) {
            ask(out);
        }
    }

    private void pollIn(long nanos, Effect.Buffer out) {
        out.add(new Effect.PollIn(Objects.requireNonNull(queue.peek()).ticket(), ++pollNumber, nanos));
    }

    @Override
    public void poll(Effect.PollIn poll, long now, Effect.Buffer out) {
        if (poll.number() == pollNumber && !asking && !queue.isEmpty()) {
            queue.impatient(poll.tenure(), now).forEach(waiter -> ended(waiter, out));
            if (!queue.isEmpty()) {
                ask(first().filter(Waiter::waits), out);
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

    private boolean answered(Tenure asked) {
        asking = false;
        asked.endRequest();
        return asked.state != Tenure.State.ENDED;
    }

    @Override
    public void granted(Tenure asked, Acquire.Granted reply, Validity proven, long now, Effect.Buffer out) {
        if (!answered(asked)) {
            if (asked.settlement == null) {
                out.add(new Effect.GiveUp(new Settlement(name, asked, true, List.of())));
            }
            askIfWanted(out);
            return;
        }
        openedMeanwhile = false;
        displace(asked, now, out);
        granted(asked);
        Optional<Waiter> whose = queue.waiterOf(asked.id);
        confirm(asked, proven, whose.map(waiter -> waiter.spec.watchdog()).orElse(true));
        asked.tokens.adopt(reply.tokens());
        whose.ifPresent(waiter -> {
            asked.preparedFor = waiter;
            take(asked, waiter, 0, now, out);
        });
        askForPlaces(config.poll(), out);
    }

    @Override
    public void refused(Tenure asked, Acquire.Refused reply, Tenure.Base read, long now, Effect.Buffer out) {
        base = read;
        InFlight request = asked.endRequest();
        if (answered(asked) && !asked.held()) {
            healthy(asked);
            asked.arrival = reply.arrival();
            asked.refusedWith(reply.arrival(), request);
        }
        queue.refused(asked, reply.holder(), now).forEach(waiter -> ended(waiter, out));
        Signal.Assigned before = early;
        early = null;
        if (before != null) {
            var unused = assigned(before, now, out);
        }
        askForPlaces(Durations.nanos(reply.retryAfter()), out);
        abandonIfUnused(out);
    }

    /** Continues after a reply: asks at once for waiters that arrived in the meantime, and otherwise schedules a poll. */
    private void askForPlaces(long atMost, Effect.Buffer out) {
        if (asking || queue.isEmpty()) {
            return;
        }
        if (openedMeanwhile || newcomers().findAny().isPresent()) {
            ask(out);
        } else {
            pollIn(Math.min(atMost, config.moment().jittered(config.poll())), out);
        }
    }

    @Override
    public void repeat(Tenure asked, long now, Effect.Buffer out) {
        if (answered(asked)) {
            queue.impatient(asked, now).forEach(waiter -> ended(waiter, out));
        }
        askIfWanted(out);
        abandonIfUnused(out);
    }

    @Override
    public void failed(Tenure asked, StoreException cause, long now, Effect.Buffer out) {
        // if the head has left, the others have waited for the same answer
        if (answered(asked) || !queue.isEmpty()) {
            queue.isSilent(asked, cause, now);
            queue.impatient(asked, now).forEach(waiter -> ended(waiter, out));
        }
        if (!queue.isEmpty()) {
            long delay = queue.backoff(asked, now);
            if (cause.effect() == StoreException.Effect.UNCONFIRMED && asked != tenure) {
                queue.waiterOf(asked.id).ifPresent(waiter -> again(waiter, now, out));
            }
            pollIn(delay, out);
        }
        abandonIfUnused(out);
    }

    /**
     * Replaces a ticket that was granted at the store but counts for nobody. It is given up so that it does not exclude others,
     * and the name is requested again behind them.
     */
    private void again(Waiter waiter, long now, Effect.Buffer out) {
        leave(waiter, out);
        newTicket(waiter);
        waiter.ticket().arrival = 0;
        waiter.ticket().waitingSince = now;
        queue.last(waiter);
    }

    // ---- signals

    /** Does nothing, because only barging waiters are woken. */
    @Override
    public void freed(Effect.Buffer out) {}

    /** Asks the store, which knows whose turn it is: the first client that asks makes it serve the queue. */
    @Override
    public void opened(Effect.Buffer out) {
        openedMeanwhile = asking;
        if (tenure == null) {
            askIfWanted(out);
        }
    }

    @Override
    public boolean assigned(Signal.Assigned signal, long now, Effect.Buffer out) {
        Optional<Waiter> whose = queue.waiterOf(signal.tenure());
        Tenure current = tenure;
        if (whose.isEmpty()) {
            return current != null && current.id.equals(signal.tenure());
        }
        Tenure ticket = whose.get().ticket();
        if (base == null && asking) {
            early = signal;
        } else if (claim(ticket, whose.get(), signal, base, now)) {
            displace(ticket, now, out);
            take(ticket, whose.get(), signal.next(), now, out);
            askForFreedPlaces(out);
        } else {
            ticket.queued = false;
            // a reply that was sent before the assignment says that the ticket has a position, although it is used up
            openedMeanwhile |= asking;
            askIfWanted(out);
        }
        return true;
    }

    /**
     * Makes room for a ticket to which the store has given the name. The tenure held until now is then over, although no
     * message has said so yet.
     */
    private void displace(Tenure ticket, long now, Effect.Buffer out) {
        Tenure before = tenure;
        if (before != null && before != ticket) {
            lose(before, "the store has assigned it to the next waiter", now, out);
        }
    }

    private void take(Tenure ticket, Waiter waiter, long followers, long now, Effect.Buffer out) {
        queue.first(waiter);
        tenure = ticket;
        ticket.queued = false;
        nextUpTo = followers;
        if (ticket.preparedFor == waiter || waiter.spec.takesAny()) {
            ticket.preparedFor = waiter;
            becomeHeld(ticket, now, out);
        } else {
            ticket.state = Tenure.State.HELD;
            out.add(new Effect.Watch(ticket));
            prepare(ticket, waiter, out);
        }
    }

    @Override
    void askAfterGap(Effect.Buffer out) {
        base = null;
        queue.stream().map(Waiter::ticket).forEach(ticket -> ticket.queued = false);
        askIfWanted(out);
    }

    // ---- the end of a tenure

    @Override
    void askForTheRest(long now, Effect.Buffer out) {
        List<TenureId> places = takeUsed(out);
        if (!places.isEmpty()) {
            Tenure first = new Tenure(places.get(0), share);
            out.add(new Effect.GiveUp(new Settlement(name, first, true, places)));
        }
        queue.stream()
                .filter(waiter -> waiter.ticket().state == Tenure.State.ENDED)
                .forEach(this::newTicket);
        askIfWanted(out);
        retireIfEmpty(out);
    }

    /**
     * Gives the waiter a new ticket. It takes over the position of the earlier ticket, which was lost before its waiter became
     * the owner.
     */
    private void newTicket(Waiter waiter) {
        Tenure before = waiter.ticket;
        Tenure fresh = newTenure(share);
        fresh.wanted = waiter.spec.first();
        fresh.waitingSince = before == null ? waiter.arrived : before.waitingSince;
        if (before == null) {
            fresh.born = waiter.arrived;
        } else {
            fresh.goesOnFrom(before);
            fresh.arrival = before.arrival;
        }
        waiter.ticket = fresh;
    }

    @Override
    void abandonIfUnused(Effect.Buffer out) {
        Tenure current = tenure;
        if (current != null && owner() == null && queue.isEmpty()) {
            giveUp(current, true, out);
        } else {
            retireIfEmpty(out);
        }
    }
}
