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
import java.util.function.Supplier;

/**
 * A slot whose name a newcomer may take before the waiters (barging). The owners of a client share a tenure, and clients take
 * turns.
 *
 * <h2>Invariants, besides those of {@link Slot}</h2>
 *
 * <ol>
 *   <li>If the tenure is held, has no owner and is not being prepared, the head of the wait queue has been notified. So no
 *       wake-up is lost.
 *   <li>If a tenure is neither held nor in flight, a poll is scheduled.
 * </ol>
 *
 * <h2>Store side</h2>
 *
 * <p>At most one {@link Tenure} is <em>current</em>. It is requested first, and then held. One call at a time is in flight,
 * whatever the number of local waiters. A signal that arrives while the call is in flight may be newer than its reply. So it is
 * kept, and applied after the reply:
 *
 * <ul>
 *   <li>{@code Assigned} voids the refusal of the same tenure.
 *   <li>{@code Freed} means to ask again at once.
 *   <li>{@code Wanted} means that a foreign client waits.
 * </ul>
 *
 * <h2>Local side</h2>
 *
 * <p>While the tenure is held, it is passed from owner to owner without a store call, each with the next token. Strict handoff
 * to parked threads would cost a wake-up each time. So a release leaves the tenure free and notifies the head of the wait
 * queue, and a running thread may barge ahead of it. Once a waiter has been the head for {@value #OVERTAKING_NANOS} ns,
 * newcomers no longer barge, and the next release hands the tenure over directly. So no waiter starves.
 *
 * <p>When foreign clients wait, or when it cannot be known that none waits, the tenure is handed over locally for a slice only.
 * Then the name is yielded: it is assigned to the first foreign waiter, and the local waiters queue behind that waiter with a
 * new tenure.
 *
 * <h2>References</h2>
 *
 * <p>The handover between clients is the cohort lock of Dice, Marathe and Shavit (PPoPP 2012), with time instead of counts as
 * its bound. The handover between threads is that of a nonfair {@link java.util.concurrent.locks.ReentrantLock}, with a bound
 * on barging.
 */
public class BargingSlot extends Slot {

    static final long OVERTAKING_NANOS = 1_000_000;

    private long headSince;
    private boolean headTold;

    public BargingSlot(String name, Share share, SlotConfig config, Supplier<TenureId> ids) {
        super(name, share, config, ids);
    }

    // ---- waiters

    @Override
    boolean admit(Waiter waiter, long now, Effect.Buffer out) {
        if (mayOvertake(waiter, now)) {
            grant(waiter, now, true, out);
        } else if (waiter.outOfTime(now) && isHopeless()) {
            waiter.outcome = new Outcome.Busy(Optional.empty());
        } else {
            enqueue(waiter, now, out);
            return true;
        }
        if (!waiter.canTake()) {
            out.add(new Effect.Tell(waiter));
        }
        return true;
    }

    /** Returns {@code true} if a newcomer that cannot wait has no chance to acquire the name. */
    boolean isHopeless() {
        return tenure != null || !queue.isEmpty();
    }

    /** Returns {@code true} if the store is asked for this waiter. */
    boolean isAsking(Waiter waiter) {
        Tenure current = tenure;
        return queue.peek() == waiter && current != null && !current.held();
    }

    @Override
    public void take(Waiter waiter, long now, Effect.Buffer out) {
        if (waiter.outcome == null && queue.peek() == waiter) {
            headTold = false;
            if (free()) {
                handOut(now, out);
            }
        }
    }

    @Override
    boolean awaitsAnswer(Waiter waiter) {
        return isAsking(waiter)
                && (!waiter.answered || Objects.requireNonNull(tenure).inFlight());
    }

    final void enqueue(Waiter waiter, long now, Effect.Buffer out) {
        if (queue.isEmpty()) {
            newHead(now);
        }
        boolean alonePolls = polls(waiter) && queue.stream().noneMatch(this::polls);
        queue.add(waiter);
        Tenure current = tenure;
        if (current == null) {
            askAnew(now, out);
        } else if (alonePolls && !current.held() && !current.inFlight() && !queue.inOutage()) {
            pollIn(current, pollDelay(current, true), out);
        }
    }

    @Override
    boolean remove(Waiter waiter, long now, Effect.Buffer out) {
        boolean wasHead = queue.peek() == waiter;
        if (!queue.remove(waiter)) {
            return false;
        }
        if (wasHead) {
            newHead(now);
        }
        if (queue.isEmpty()) {
            abandonIfUnused(out);
        } else if (wasHead && free()) {
            handOn(now, out);
        }
        return true;
    }

    private void newHead(long now) {
        headSince = now;
        headTold = false;
    }

    private boolean free() {
        Tenure current = tenure;
        return current != null && current.held() && owner() == null && !current.preparing;
    }

    final boolean mayOvertake(Waiter waiter, long now) {
        Tenure current = tenure;
        return current != null
                && free()
                && waiter.spec.takesAny()
                && (queue.isEmpty() || now - headSince <= OVERTAKING_NANOS)
                && fits(current, waiter, now);
    }

    @Override
    boolean mayHave(Waiter head) {
        return true;
    }

    @Override
    void served(Waiter waiter, long now) {
        newHead(now);
    }

    /** Plans a renewal within a poll interval. Its reply reports whether a foreign client waits. */
    @Override
    void handedOn(Tenure current, Hold hold, Effect.Buffer out) {
        if (!current.handedOn && hold.watchdog()) {
            current.handedOn = true;
            renewBy(current, current.validity.sent() + config.poll(), out);
        }
    }

    /**
     * Keeps the tenure after a release, for the next local owner. The head is notified, or the tenure is handed over to it
     * directly.
     */
    private void handOn(long now, Effect.Buffer out) {
        Waiter head = Objects.requireNonNull(queue.peek());
        Tenure current = Objects.requireNonNull(tenure);
        boolean overtaken = now - headSince > OVERTAKING_NANOS;
        if (overtaken || !head.canTake() || !fits(current, head, now)) {
            handOut(now, out);
        } else if (!headTold) {
            headTold = true;
            out.add(new Effect.Tell(head));
        }
    }

    // ---- after a release

    @Override
    void passOn(Hold hold, long now, Effect.Buffer out) {
        Tenure current = hold.tenure;
        if (queue.isEmpty()) {
            hold.settlement = giveUp(current, isSliceOver(current, now), out);
        } else if (current.escorted || mustYield(current, now, out)) {
            hold.settlement = giveUp(current, !current.escorted, out);
            askAnew(now, out);
        } else {
            handOn(now, out);
        }
    }

    private boolean mustYield(Tenure current, long now, Effect.Buffer out) {
        if (!wouldHear(now, out)) {
            current.foreign(Math.max(1, current.foreignWaiters), now);
        }
        return isSliceOver(current, now);
    }

    /**
     * Returns {@code true} if this client would have heard of a foreign waiter. If the last confirmation that signals arrive is
     * too old, or soon will be, a new one is requested.
     */
    boolean wouldHear(long now, Effect.Buffer out) {
        if (!config.notifiesHolders()) {
            return false;
        }
        if (!config.moment().signalsFresh(now + config.poll() / 2)) {
            out.add(new Effect.ConfirmSignals());
        }
        return config.moment().signalsFresh(now);
    }

    /** Returns {@code true} if foreign clients have waited for a whole slice. */
    boolean isSliceOver(Tenure current, long now) {
        return current.sliceStart != Durations.NEVER
                && now - current.sliceStart >= config.moment().sliceNanos();
    }

    @Override
    Settlement settlement(Tenure current, boolean yield, Effect.Buffer out) {
        return new Settlement(name, current, yield, List.of());
    }

    // ---- replies

    @Override
    public void granted(Tenure asked, Acquire.Granted reply, Validity proven, long now, Effect.Buffer out) {
        asked.endRequest();
        if (asked != tenure) {
            if (asked.settlement == null) {
                out.add(new Effect.GiveUp(settlement(asked, false, out)));
            }
            return;
        }
        granted(asked);
        Waiter forWhom = asked.preparedFor;
        confirm(asked, proven, forWhom == null || forWhom.spec.watchdog());
        asked.tokens.adopt(reply.tokens());
        asked.foreign(Math.max(reply.foreignWaiters(), asked.wantedMeanwhile ? 1 : 0), now);
        becomeHeld(asked, now, out);
    }

    @Override
    public void refused(Tenure asked, Acquire.Refused reply, Tenure.Base base, long now, Effect.Buffer out) {
        InFlight request = asked.endRequest();
        if (asked != tenure || asked.held()) {
            return;
        }
        healthy(asked);
        asked.base = base;
        asked.arrival = reply.arrival();
        asked.refusedWith(reply.arrival(), request);
        queue.refused(asked, reply.holder(), now).forEach(waiter -> ended(waiter, out));
        waitOn(request, asked, reply, now, out);
    }

    private void waitOn(InFlight request, Tenure asked, Acquire.Refused reply, long now, Effect.Buffer out) {
        boolean registered = !wantsPlace() || reply.arrival() != 0 || asked.noRoom;
        if (queue.isEmpty()) {
            abandonIfUnused(out);
        } else if (request.assigned != null) {
            apply(asked, request.assigned, now, out);
        } else if (request.freed || !registered) {
            askAgain(asked, out);
        } else {
            long free = Durations.nanos(reply.retryAfter());
            pollIn(
                    asked,
                    Math.min(
                            free,
                            pollDelay(asked, asked.noRoom || queue.stream().anyMatch(this::polls))),
                    out);
        }
    }

    /** Schedules the next poll, which replaces any earlier one. */
    private static void pollIn(Tenure asked, long nanos, Effect.Buffer out) {
        out.add(new Effect.PollIn(asked, ++asked.pollNumber, nanos));
    }

    @Override
    public void repeat(Tenure asked, long now, Effect.Buffer out) {
        asked.endRequest();
        if (asked == tenure && !asked.held()) {
            endImpatient(asked, now, out);
            askAgainIfWanted(asked, out);
        }
    }

    @Override
    public void failed(Tenure asked, StoreException cause, long now, Effect.Buffer out) {
        asked.endRequest();
        if (asked != tenure || asked.held()) {
            return;
        }
        queue.isSilent(asked, cause, now);
        endImpatient(asked, now, out);
        if (queue.isEmpty()) {
            abandonIfUnused(out);
        } else {
            long delay = queue.backoff(asked, now);
            pollIn(cause.effect() == StoreException.Effect.UNCONFIRMED ? again(asked, now, out) : asked, delay, out);
        }
    }

    /**
     * Replaces a tenure that was granted at the store but counts for nobody. It is given up so that it does not exclude others,
     * and the name is requested again behind them.
     */
    private Tenure again(Tenure asked, long now, Effect.Buffer out) {
        Tenure fresh = tenureFor(Objects.requireNonNull(queue.peek()), now);
        fresh.goesOnFrom(asked);
        giveUp(asked, true, out);
        tenure = fresh;
        return fresh;
    }

    private void endImpatient(Tenure asked, long now, Effect.Buffer out) {
        queue.impatient(asked, now).forEach(waiter -> ended(waiter, out));
        newHead(now);
    }

    // ---- asking

    private void askAnew(long now, Effect.Buffer out) {
        Tenure fresh = tenureFor(Objects.requireNonNull(queue.peek()), now);
        fresh.born = now;
        tenure = fresh;
        newHead(now);
        if (queue.size() > 1) {
            fresh.tokens.wantMore();
        }
        askAgain(fresh, out);
    }

    /** Creates a tenure to ask with for the head of the wait queue. */
    Tenure tenureFor(Waiter head, long now) {
        return newTenure(share);
    }

    private void askAgain(Tenure asked, Effect.Buffer out) {
        Waiter head = Objects.requireNonNull(queue.peek());
        asked.startRequest(wantsPlace());
        asked.preparedFor = head;
        out.add(new Effect.Ask(asked, head.spec.first(), wantsPlace() ? Queueing.BARGING : Queueing.NONE, List.of()));
    }

    private boolean wantsPlace() {
        return config.queues() && queue.anyQueues();
    }

    private void askAgainIfWanted(Tenure asked, Effect.Buffer out) {
        if (queue.isEmpty()) {
            abandonIfUnused(out);
        } else {
            askAgain(asked, out);
        }
    }

    @Override
    public void poll(Effect.PollIn poll, long now, Effect.Buffer out) {
        Tenure asked = poll.tenure();
        if (asked == tenure && poll.number() == asked.pollNumber && !asked.inFlight() && !asked.held()) {
            endImpatient(asked, now, out);
            if (asked.queued && !queue.isEmpty() && !wantsPlace()) {
                // only polling waiters are left: a position of theirs would hold up the waiters behind it
                giveUp(asked, false, out);
                askAnew(now, out);
            } else {
                askAgainIfWanted(asked, out);
            }
        }
    }

    // ---- signals

    @Override
    public void freed(Effect.Buffer out) {
        Tenure current = tenure;
        if (current == null || current.held()) {
            return;
        }
        InFlight request = current.request;
        if (request != null) {
            request.freed = true;
        } else {
            askAgainIfWanted(current, out);
        }
    }

    @Override
    public void wanted(long now, Effect.Buffer out) {
        Tenure current = tenure;
        if (current != null && current.held()) {
            current.foreign(Math.max(1, current.foreignWaiters), now);
        } else if (current != null) {
            current.wantedMeanwhile = true;
        }
    }

    @Override
    public boolean assigned(Signal.Assigned signal, long now, Effect.Buffer out) {
        Tenure current = tenure;
        if (current == null || !current.id.equals(signal.tenure())) {
            return false;
        }
        InFlight request = current.request;
        if (request != null) {
            request.assigned = signal;
        } else if (!current.held()) {
            apply(current, signal, now, out);
        }
        return true;
    }

    private void apply(Tenure asked, Signal.Assigned signal, long now, Effect.Buffer out) {
        Waiter head = queue.peek();
        if (head == null || !claim(asked, head, signal, asked.base, now)) {
            askAgainIfWanted(asked, out);
            return;
        }
        asked.foreign(Math.max(signal.foreignWaiters(), asked.wantedMeanwhile ? 1 : 0), now);
        if (!head.spec.takesAny()) {
            askAgain(asked, out);
        } else {
            becomeHeld(asked, now, out);
        }
    }

    @Override
    void askAfterGap(Effect.Buffer out) {
        Tenure current = tenure;
        if (current != null) {
            current.base = null;
            if (!current.held() && !current.inFlight()) {
                askAgainIfWanted(current, out);
            }
        }
    }

    // ---- the end of a tenure

    @Override
    void askForTheRest(long now, Effect.Buffer out) {
        if (!queue.isEmpty()) {
            askAnew(now, out);
        }
        retireIfEmpty(out);
    }

    @Override
    void abandonIfUnused(Effect.Buffer out) {
        Tenure current = tenure;
        if (current == null || owner() != null) {
            return;
        }
        if (current.held() || current.queued || current.copies.unanswered() || current.inFlight()) {
            giveUp(current, false, out);
        } else {
            end(current);
            retireIfEmpty(out);
        }
    }
}
