package io.holdfast.internal;

import io.holdfast.spi.Acquire;
import io.holdfast.spi.Acquire.Queueing;
import io.holdfast.spi.Renew;
import io.holdfast.spi.Signal;
import io.holdfast.spi.StoreException;
import io.holdfast.spi.TenureId;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BiConsumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * All local state of one lock name: who owns it, who waits, and what the client has at the store.
 *
 * <p>A state machine under one short mutex. Events come in with the time at which they happened, commands go out as
 * {@link Effect}s that the caller carries out after the mutex is free; no clock is read and nothing is called in here.
 *
 * <h2>Store side</h2>
 *
 * <p>At most one {@link Tenure} is <em>current</em>: it is asked for (one call in flight at a time, whatever the number of
 * local waiters), then held. A tenure that is not wanted any more is given up through a {@link Settlement} and is never
 * current again, so whatever its late replies say they cannot touch a later one. Signals that come while the call is in
 * flight are kept and applied after its reply: {@code Assigned} voids the refusal of the same tenure, {@code Freed} means
 * ask again at once, {@code Wanted} means that a foreign client waits.
 *
 * <h2>Local side</h2>
 *
 * <p>While the tenure is held it is passed from owner to owner without a store call, each with the next token. As strict
 * handoff to parked threads would cost a wake-up each, a release leaves the tenure free and wakes the head of the queue;
 * a running thread may overtake it. Once the head has been overtaken for {@value #OVERTAKING_NANOS} ns the next release
 * hands to it directly, so nobody starves.
 *
 * <p>When foreign clients wait (or it cannot be known that none does) the tenure is handed on for a slice only; then the
 * name is yielded: assigned to the first foreign waiter, while the local owners queue behind it with a new tenure. This is
 * the cohort lock of Dice, Marathe and Shavit (PPoPP 2012) with time instead of counts as its bound.
 *
 * <h2>Invariants</h2>
 *
 * <ol>
 *   <li>{@code owner != null} implies that the current tenure is held, and that it is the owner's.
 *   <li>A tenure is current, or was given up, or ended at the store: nothing the store may have granted is forgotten.
 *   <li>Tenure held, no owner, nothing being prepared: the head of the queue has been told.
 *   <li>Tenure neither held nor in flight: a poll is scheduled.
 *   <li>Nothing current, no waiter, no lost hold to clear: the slot is retired, and never used again.
 * </ol>
 */
final class KeySlot {

    static final long OVERTAKING_NANOS = 1_000_000;

    private static final long CLAIM_WINDOW_NANOS = 1_000_000_000;
    private static final long CLAIM_RESERVE_NANOS = 100_000_000;
    private static final long FIRST_BACKOFF_NANOS = 20_000_000;
    private static final long MOST_BACKOFF_NANOS = 1_000_000_000;
    private static final long FIRST_POLL_NANOS = 5_000_000;

    final String name;
    private final Rules rules;
    private final Supplier<TenureId> ids;
    private final ReentrantLock mutex = new ReentrantLock();
    private final ArrayDeque<Waiter> queue = new ArrayDeque<>(2);

    private volatile @Nullable Tenure tenure;
    private volatile @Nullable Hold owner;
    private volatile Map<Thread, Hold> lostHolds = Map.of();
    private boolean retired;
    private long headSince;
    private boolean headTold;
    private long outageSince;
    private @Nullable StoreException outage;

    KeySlot(String name, Rules rules, Supplier<TenureId> ids) {
        this.name = name;
        this.rules = rules;
        this.ids = ids;
    }

    // ---- read without the mutex

    @Nullable
    Hold owner() {
        return owner;
    }

    @Nullable
    Tenure tenure() {
        return tenure;
    }

    /** The hold of this thread, also a lost one that it has not unlocked. */
    @Nullable
    Hold holdOf(Thread thread) {
        Hold hold = owner;
        return hold != null && hold.ownedBy(thread) ? hold : lostHolds.get(thread);
    }

    int waiting() {
        return locked(queue::size);
    }

    // ---- waiters; all from here on runs inside locked()

    /** Takes a waiter in; false if the slot is retired. */
    boolean arrive(Waiter waiter, long now, Effect.Buffer out) {
        if (retired) {
            return false;
        }
        if (mayOvertake(waiter, now)) {
            grant(waiter, now, true, out);
        } else if (waiter.outOfTime(now) && (tenure != null || !queue.isEmpty())) {
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

    /** A told thread tries to take the lock that was left for it. */
    void take(Waiter waiter, long now, Effect.Buffer out) {
        if (waiter.outcome == null && queue.peek() == waiter) {
            headTold = false;
            if (free()) {
                handOut(now, out);
            }
        }
    }

    /** Takes a waiter out; false if its outcome is there. */
    boolean withdraw(Waiter waiter, long now, Effect.Buffer out) {
        return waiter.outcome == null && remove(waiter, now, out);
    }

    /**
     * Ends a waiter whose time is up, unless an answer is still to come: it may be a grant, and without a first one
     * nothing can be said.
     */
    void timeOut(Waiter waiter, long now, Effect.Buffer out) {
        Tenure current = tenure;
        boolean asking = queue.peek() == waiter && current != null && !current.held();
        boolean open = asking && (!waiter.answered || Objects.requireNonNull(current).inFlight);
        waiter.timedOut = true;
        if (waiter.outcome == null && !open) {
            waiter.outcome = new Outcome.Busy(waiter.holder);
            remove(waiter, now, out);
            out.add(new Effect.Tell(waiter));
        }
    }

    private void enqueue(Waiter waiter, long now, Effect.Buffer out) {
        if (queue.isEmpty()) {
            newHead(now);
        }
        boolean alonePolls = polls(waiter) && queue.stream().noneMatch(this::polls);
        queue.add(waiter);
        Tenure current = tenure;
        if (current == null) {
            askAnew(now, out);
        } else if (alonePolls && !current.held() && !current.inFlight && outage == null) {
            pollIn(current, pollDelay(current), out);
        }
    }

    /** Whether the waiter will not be told, and so has to ask often. */
    private boolean polls(Waiter waiter) {
        return !rules.signals() || waiter.term.polling();
    }

    private boolean remove(Waiter waiter, long now, Effect.Buffer out) {
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
        return current != null && current.held() && owner == null && !current.preparing;
    }

    private boolean mayOvertake(Waiter waiter, long now) {
        Tenure current = tenure;
        return current != null
                && free()
                && waiter.term.watchdog()
                && (queue.isEmpty() || now - headSince <= OVERTAKING_NANOS)
                && fits(current, waiter, now);
    }

    // ---- handing out

    /** Whether the tenure can be given to the waiter without asking the store. */
    private boolean fits(Tenure current, Waiter waiter, long now) {
        if (!current.hasToken() || !current.alive(now)) {
            return false;
        }
        boolean fresh = current.preparedFor == waiter;
        Validity validity = current.validity;
        return fresh || (waiter.term.watchdog() && validity.remaining(now) >= validity.lease() / 3);
    }

    private void grant(Waiter waiter, long now, boolean handedOver, Effect.Buffer out) {
        Tenure current = Objects.requireNonNull(tenure);
        if (!waiter.term.watchdog()) {
            current.renewDue = Tenure.NEVER;
        } else if (current.renewDue == Tenure.NEVER) {
            renewBy(current, now, out);
        }
        Hold hold = new Hold(this, current, current.takeToken(), waiter, now);
        current.preparedFor = null;
        owner = hold;
        waiter.outcome = hold;
        rules.counters().grants.increment();
        if (handedOver) {
            noteHandover(current, now, out);
        }
        if (rules.moment().eventsWanted()) {
            out.add(new Effect.Granted(hold, handedOver));
        }
    }

    /** A tenure that was handed on is renewed within a poll interval, to learn whether somebody waits for it. */
    private void noteHandover(Tenure current, long now, Effect.Buffer out) {
        rules.counters().handoffs.increment();
        Hold hold = owner;
        if (!current.handedOn && hold != null && hold.watchdog()) {
            current.handedOn = true;
            renewBy(current, current.validity.sent() + rules.poll(), out);
        }
        if (current.tokensLow() && !current.refilling) {
            current.refilling = true;
            current.wantMoreTokens();
            renewBy(current, now, out);
        }
    }

    private void renewBy(Tenure current, long due, Effect.Buffer out) {
        if (current.renewDue == Tenure.NEVER || due - current.renewDue < 0) {
            current.renewDue = due;
            out.add(new Effect.Watch(current));
        }
    }

    /** Gives the free tenure to the head of the queue. */
    private void handOut(long now, Effect.Buffer out) {
        Tenure current = Objects.requireNonNull(tenure);
        Waiter head = queue.peek();
        if (head == null) {
            giveUp(current, false, out);
        } else if (!current.alive(now) || spent(current, head) || tooLongFor(current, head, now)) {
            giveUp(current, false, out);
            askForTheRest(now, out);
        } else if (fits(current, head, now)) {
            queue.poll();
            newHead(now);
            grant(head, now, current.handedOn || current.preparedFor != head, out);
            out.add(new Effect.Tell(head));
        } else {
            prepare(current, head, out);
        }
    }

    /** A store that gives no further tokens ends the tenure with its block. */
    private static boolean spent(Tenure current, Waiter head) {
        return current.preparedFor == head && !current.hasToken();
    }

    /** A store never shortens a lease, so an owner with a shorter one of its own needs a tenure of its own. */
    private boolean tooLongFor(Tenure current, Waiter head, long now) {
        return !head.term.watchdog()
                && current.preparedFor != head
                && current.validity.remaining(now) > head.term.nanos();
    }

    /** Renews before handing on: too little of the lease is left, no token is, or the next owner has a lease of its own. */
    private void prepare(Tenure current, Waiter head, Effect.Buffer out) {
        current.preparing = true;
        current.preparedFor = head;
        out.add(new Effect.Renew(current, head.term));
    }

    /** After a release: the tenure stays, and is for the next local owner. */
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

    // ---- owners

    /**
     * Ends a hold. If it is lost its owner finds that in {@link Hold#lost}; if the store has to be told, in
     * {@link Hold#settlement}.
     */
    void release(Hold hold, long now, Effect.Buffer out) {
        expire(hold.tenure, now, out);
        if (owner == hold) {
            hold.ended = true;
            owner = null;
            passOn(hold, now, out);
        } else if (!hold.ended) {
            hold.ended = true;
            clearLost(hold, out);
        }
    }

    private void passOn(Hold hold, long now, Effect.Buffer out) {
        Tenure current = hold.tenure;
        if (queue.isEmpty()) {
            hold.settlement = giveUp(current, false, out);
        } else if (mustYield(current, now, out)) {
            hold.settlement = giveUp(current, true, out);
            askAnew(now, out);
        } else {
            handOn(now, out);
        }
    }

    private boolean mustYield(Tenure current, long now, Effect.Buffer out) {
        if (!rules.moment().signalsFresh(now + rules.poll() / 2)) {
            out.add(new Effect.ConfirmSignals());
        }
        if (!rules.moment().signalsFresh(now)) {
            current.foreign(Math.max(1, current.foreignWaiters), now);
        }
        return current.sliceStart != Tenure.NEVER
                && now - current.sliceStart >= rules.moment().sliceNanos();
    }

    private void clearLost(Hold hold, Effect.Buffer out) {
        if (lostHolds.containsValue(hold)) {
            lostHolds.values().remove(hold);
        }
        if (hold.tenure.mayBeAtStore) {
            hold.tenure.mayBeAtStore = false;
            out.add(new Effect.GiveUp(new Settlement(name, hold.tenure, false)));
        }
        retireIfEmpty(out);
    }

    boolean hasLostHolds() {
        return !lostHolds.isEmpty();
    }

    /** A thread that died will not unlock what it lost. */
    void forgetTheDead(Effect.Buffer out) {
        lostHolds.values().stream().filter(Hold::ownerGone).forEach(hold -> clearLost(hold, out));
    }

    /** The owner ended without releasing: not handed on and not released; the lease runs out, as after a crash. */
    void ownerGone(Hold hold, long now, Effect.Buffer out) {
        if (owner != hold) {
            clearLost(hold, out);
            return;
        }
        hold.ended = true;
        owner = null;
        end(hold.tenure);
        out.add(new Effect.Abandoned(hold));
        askForTheRest(now, out);
    }

    /** Told to stop, the owner of a lease has lost it; the store gives the name up when the owner is done, or the lease ends. */
    void revoke(Hold hold, String reason, long now, Effect.Buffer out) {
        if (owner == hold) {
            lose(hold.tenure, reason, now, out);
        }
    }

    /** Nothing moves the end of the hold from now on. */
    void stopRenewing(Hold hold, Effect.Buffer out) {
        if (owner == hold) {
            hold.stopAt(hold.tenure.validity.deadline());
            hold.tenure.renewDue = Tenure.NEVER;
            out.add(new Effect.Watch(hold.tenure));
        }
    }

    /** Its id is burnt. */
    private void end(Tenure current) {
        current.state = Tenure.State.ENDED;
        tenure = null;
    }

    /** Ends the innermost of several levels; if those that are left end earlier, the hold does. */
    void leave(Hold hold, long now, Effect.Buffer out) {
        if (hold.leave()) {
            hold.tenure.validity = hold.tenure.validity.endingAt(hold.end());
            hold.tenure.renewDue = Tenure.NEVER;
            out.add(new Effect.Watch(hold.tenure));
            expire(hold.tenure, now, out);
        }
    }

    // ---- replies to an acquire

    void granted(Tenure asked, Acquire.Granted reply, Validity proven, long now, Effect.Buffer out) {
        asked.inFlight = false;
        if (asked != tenure) {
            if (!asked.settling) {
                out.add(new Effect.GiveUp(new Settlement(name, asked, false)));
            }
            return;
        }
        healthy(asked);
        Waiter forWhom = asked.preparedFor;
        confirm(asked, proven, forWhom == null || forWhom.term.watchdog());
        asked.adopt(reply.tokens());
        asked.foreign(Math.max(reply.foreignWaiters(), asked.wantedMeanwhile ? 1 : 0), now);
        becomeHeld(asked, now, out);
    }

    /** Moves the deadline; an owner's own end stays where it is. */
    private void confirm(Tenure held, Validity proven, boolean renewedIfFree) {
        Hold hold = owner;
        held.confirm(proven, hold == null ? renewedIfFree : hold.watchdog());
        if (hold != null && !hold.watchdog()) {
            held.validity = held.validity.endingAt(hold.end());
        }
    }

    private void becomeHeld(Tenure asked, long now, Effect.Buffer out) {
        if (!asked.held()) {
            asked.state = Tenure.State.HELD;
            out.add(new Effect.Watch(asked));
            handOut(now, out);
        }
    }

    void refused(Tenure asked, Acquire.Refused reply, Tenure.Base base, long now, Effect.Buffer out) {
        asked.inFlight = false;
        if (asked != tenure || asked.held()) {
            return;
        }
        healthy(asked);
        asked.base = base;
        asked.arrival = reply.arrival();
        asked.queued |= reply.arrival() != 0;
        answer(reply.holder(), now, out);
        waitOn(asked, reply, now, out);
    }

    private void waitOn(Tenure asked, Acquire.Refused reply, long now, Effect.Buffer out) {
        Signal.Assigned assigned = asked.assignedMeanwhile;
        asked.assignedMeanwhile = null;
        boolean registered = !wantsPlace() || reply.arrival() != 0;
        if (queue.isEmpty()) {
            abandonIfUnused(out);
        } else if (assigned != null) {
            apply(asked, assigned, now, out);
        } else if (asked.freedMeanwhile || !registered) {
            askAgain(asked, out);
        } else {
            long free = Durations.nanos(reply.retryAfter());
            pollIn(asked, Math.min(free, pollDelay(asked)), out);
        }
    }

    /** Sets the next poll, in place of any that is set. */
    private static void pollIn(Tenure asked, long nanos, Effect.Buffer out) {
        out.add(new Effect.PollIn(asked, ++asked.pollNumber, nanos));
    }

    /** For those who are told the poll only repairs; for others it is how they learn, so it begins fast and backs off. */
    private long pollDelay(Tenure asked) {
        long most = rules.poll();
        if (queue.stream().noneMatch(this::polls)) {
            return rules.moment().jittered(most);
        }
        return rules.moment().jittered(Term.doubled(FIRST_POLL_NANOS, asked.polls++, most));
    }

    void late(Tenure asked, Effect.Buffer out) {
        asked.inFlight = false;
        if (asked == tenure && !asked.held()) {
            askAgainIfWanted(asked, out);
        }
    }

    void failed(Tenure asked, StoreException cause, long now, Effect.Buffer out) {
        asked.inFlight = false;
        if (asked != tenure || asked.held()) {
            return;
        }
        outageSince = outage == null ? now : outageSince;
        outage = cause;
        endImpatient(asked, cause, now, out);
        if (queue.isEmpty()) {
            abandonIfUnused(out);
        } else {
            pollIn(asked, backoff(asked, now), out);
        }
    }

    private long backoff(Tenure asked, long now) {
        long delay = rules.moment().jittered(Term.doubled(FIRST_BACKOFF_NANOS, asked.failures++, MOST_BACKOFF_NANOS));
        long patience =
                queue.stream().mapToLong(w -> limit(w, asked) - now).min().orElse(delay);
        return Math.max(1, Math.min(delay, patience));
    }

    /** Ends those whose patience with a silent store is over. */
    private void endImpatient(Tenure asked, StoreException cause, long now, Effect.Buffer out) {
        for (Waiter waiter : List.copyOf(queue)) {
            boolean timeUp = waiter.answered && waiter.outOfTime(now);
            boolean refused = cause.effect() == StoreException.Effect.REFUSED;
            if (timeUp && !refused && !asked.copies.unanswered()) {
                finish(waiter, new Outcome.Busy(waiter.holder), out);
            } else if (timeUp || refused || now - limit(waiter, asked) >= 0) {
                finish(waiter, new Outcome.Failed(rules.moment().failure(name, waiter, asked, cause, now)), out);
            }
        }
        newHead(now);
    }

    /** Who was answered once stays through an outage; who was not has the command timeout. */
    private long limit(Waiter waiter, Tenure asked) {
        if (!waiter.answered) {
            long since = asked.born - waiter.arrived > 0 ? asked.born : waiter.arrived;
            return since + rules.command();
        }
        long since = outageSince - waiter.arrived > 0 ? outageSince : waiter.arrived;
        return since + rules.outage();
    }

    private void answer(Optional<String> holder, long now, Effect.Buffer out) {
        for (Waiter waiter : List.copyOf(queue)) {
            waiter.answered = true;
            waiter.holder = holder;
            if (waiter.outOfTime(now)) {
                finish(waiter, new Outcome.Busy(holder), out);
            }
        }
    }

    private void finish(Waiter waiter, Outcome outcome, Effect.Buffer out) {
        queue.remove(waiter);
        waiter.outcome = outcome;
        out.add(new Effect.Tell(waiter));
    }

    private void healthy(Tenure asked) {
        outage = null;
        asked.failures = 0;
    }

    // ---- asking

    private void askAnew(long now, Effect.Buffer out) {
        Tenure fresh = new Tenure(ids.get());
        fresh.born = now;
        tenure = fresh;
        newHead(now);
        if (queue.size() > 1) {
            fresh.wantMoreTokens();
        }
        askAgain(fresh, out);
    }

    private void askAgain(Tenure asked, Effect.Buffer out) {
        Waiter head = Objects.requireNonNull(queue.peek());
        asked.inFlight = true;
        asked.freedMeanwhile = false;
        asked.preparedFor = head;
        out.add(new Effect.Ask(asked, head.term, wantsPlace() ? Queueing.BARGING : Queueing.NONE));
    }

    private boolean wantsPlace() {
        return rules.queues() && queue.stream().anyMatch(Waiter::queues);
    }

    private void askAgainIfWanted(Tenure asked, Effect.Buffer out) {
        if (queue.isEmpty()) {
            abandonIfUnused(out);
        } else {
            askAgain(asked, out);
        }
    }

    /** The poll timer went off. */
    void poll(Effect.PollIn poll, long now, Effect.Buffer out) {
        Tenure asked = poll.tenure();
        if (asked == tenure && poll.number() == asked.pollNumber && !asked.inFlight && !asked.held()) {
            if (outage != null) {
                endImpatient(asked, outage, now, out);
            }
            if (asked.queued && !queue.isEmpty() && !wantsPlace()) {
                // only those are left who poll: a place of theirs would hold up who is behind it
                giveUp(asked, false, out);
                askAnew(now, out);
            } else {
                askAgainIfWanted(asked, out);
            }
        }
    }

    // ---- signals

    void freed(Effect.Buffer out) {
        Tenure current = tenure;
        if (current == null || current.held()) {
            return;
        }
        if (current.inFlight) {
            current.freedMeanwhile = true;
        } else {
            askAgainIfWanted(current, out);
        }
    }

    void wanted(long now) {
        Tenure current = tenure;
        if (current != null && current.held()) {
            current.foreign(Math.max(1, current.foreignWaiters), now);
        } else if (current != null) {
            current.wantedMeanwhile = true;
        }
    }

    /** Returns false if the tenure is not one that waits here. */
    boolean assigned(Signal.Assigned signal, long now, Effect.Buffer out) {
        Tenure current = tenure;
        if (current == null || !current.id.equals(signal.tenure())) {
            return false;
        }
        if (current.inFlight) {
            current.assignedMeanwhile = signal;
        } else if (!current.held()) {
            apply(current, signal, now, out);
        }
        return true;
    }

    /**
     * Takes an assigned grant. Its deadline counts from when our last answered poll was sent, never from the receipt: a
     * paused client that reads a buffered message after the claim lapsed would run beside the next holder.
     */
    private void apply(Tenure asked, Signal.Assigned signal, long now, Effect.Buffer out) {
        Tenure.Base base = asked.base;
        if (base == null || base.run() == 0 || base.run() != signal.run()) {
            askAgainIfWanted(asked, out);
            return;
        }
        long expires = base.sent() + TimeUnit.MICROSECONDS.toNanos(signal.expiresMicros() - base.serverMicros());
        long deadline = expires - Term.margin(CLAIM_WINDOW_NANOS);
        if (deadline - now < CLAIM_RESERVE_NANOS || queue.isEmpty()) {
            askAgainIfWanted(asked, out);
            return;
        }
        healthy(asked);
        asked.preparedFor = queue.peek();
        asked.confirm(new Validity(now, deadline - now, deadline, base.skew()), true);
        asked.adopt(signal.tokens());
        asked.foreign(Math.max(signal.foreignWaiters(), asked.wantedMeanwhile ? 1 : 0), now);
        if (!asked.preparedFor.term.watchdog()) {
            askAgain(asked, out);
        } else {
            becomeHeld(asked, now, out);
        }
    }

    /** Signals may have been missed: what is waited for is asked for, what is held is renewed. */
    void gap(long now, Effect.Buffer out) {
        Tenure current = tenure;
        if (current == null) {
            return;
        }
        current.base = null;
        if (current.held() && current.renewDue != Tenure.NEVER) {
            renewBy(current, now, out);
        } else if (current.held()) {
            verify(current, now, out);
        } else if (!current.inFlight) {
            askAgainIfWanted(current, out);
        }
    }

    void revoked(TenureId id, long now, Effect.Buffer out) {
        Tenure current = tenure;
        if (current != null && current.held() && current.id.equals(id)) {
            verify(current, now, out);
        }
    }

    private void verify(Tenure current, long now, Effect.Buffer out) {
        out.add(new Effect.Renew(current, renewalTerm(current, now)));
    }

    /** For how long the current tenure is to be renewed. */
    Term renewalTerm(Tenure current, long now) {
        Hold hold = owner;
        Waiter next = current.preparedFor;
        if (hold == null) {
            return next != null ? next.term : rules.term();
        }
        // a lease of its own is verified by asking for no more than what is left of it
        return hold.watchdog()
                ? hold.term.watchdog() ? hold.term : rules.term()
                : hold.term.ending(Duration.ofNanos(Term.leaseFor(Math.max(1, hold.end() - now))));
    }

    // ---- replies to a renewal, and the deadline

    void renewed(Tenure renewed, Renew.Renewed reply, Validity proven, Term term, long now, Effect.Buffer out) {
        renewed.renewSent = Tenure.NEVER;
        renewed.refilling = false;
        if (renewed != tenure || !renewed.held()) {
            return;
        }
        if (!renewed.alive(now)) {
            expire(renewed, now, out);
            return;
        }
        if (!proves(renewed, reply, proven)) {
            renewalFailed(renewed, now, out);
            return;
        }
        confirm(renewed, proven, term.watchdog());
        renewed.failures = 0;
        renewed.foreign(reply.foreignWaiters(), now);
        reply.tokens().ifPresent(renewed::refill);
        out.add(new Effect.Watch(renewed));
        if (renewed.preparing) {
            renewed.preparing = false;
            handOut(now, out);
        }
    }

    /**
     * A clock step leaves open whether the tenure ended meanwhile. "Renewed" proves that it did not, because an ended tenure
     * is never made again; but a late copy of its acquire, as long as one may come, would do just that.
     */
    private static boolean proves(Tenure renewed, Renew.Renewed reply, Validity proven) {
        boolean stepped = Math.abs(proven.skew() - renewed.validity.skew()) > Term.margin(proven.lease());
        return !stepped || !renewed.copies.unanswered() || renewed.copies.mayComeFor(reply.serverMicros()) <= 0;
    }

    void renewalLost(Tenure renewed, String reason, long now, Effect.Buffer out) {
        renewed.renewSent = Tenure.NEVER;
        if (renewed == tenure && renewed.held()) {
            lose(renewed, reason, now, out);
            renewed.mayBeAtStore = renewed.copies.unanswered();
        }
    }

    void renewalFailed(Tenure renewed, long now, Effect.Buffer out) {
        renewed.renewSent = Tenure.NEVER;
        if (renewed == tenure && renewed.held()) {
            long most = Math.min(renewed.validity.lease() / 10, MOST_BACKOFF_NANOS);
            long delay = Term.doubled(FIRST_BACKOFF_NANOS, renewed.failures++, most);
            renewed.renewDue = now + rules.moment().jittered(delay);
            out.add(new Effect.Watch(renewed));
        }
    }

    /** The deadline may have passed. */
    void expire(Tenure held, long now, Effect.Buffer out) {
        if (held == tenure && held.held() && !held.alive(now)) {
            Hold hold = owner;
            lose(held, whyOver(hold, held), now, out);
        }
    }

    private static String whyOver(@Nullable Hold hold, Tenure held) {
        if (hold == null || hold.watchdog()) {
            return "its lease ended at this client's clock before a renewal was confirmed: " + held.trouble;
        }
        return hold.stopped()
                ? "it was held for longer than maxHold, and its lease is over"
                : "the lease it was acquired for is over";
    }

    private void lose(Tenure held, String reason, long now, Effect.Buffer out) {
        Hold hold = owner;
        if (hold == null) {
            giveUp(held, false, out);
        } else {
            held.mayBeAtStore = true;
            hold.lose(reason);
            rememberLost(hold);
            owner = null;
            out.add(new Effect.Lost(hold, reason));
            end(held);
        }
        askForTheRest(now, out);
    }

    /** Until its thread has unlocked it, a lost hold is what that thread holds. */
    private void rememberLost(Hold hold) {
        Thread thread = hold.thread();
        if (thread != null) {
            lostHolds = lostHolds.isEmpty() ? new ConcurrentHashMap<>() : lostHolds;
            lostHolds.put(thread, hold);
        }
    }

    /** The tenure is over: those who wait ask with a new one. */
    private void askForTheRest(long now, Effect.Buffer out) {
        if (!queue.isEmpty()) {
            askAnew(now, out);
        }
        retireIfEmpty(out);
    }

    // ---- giving up

    private Settlement giveUp(Tenure current, boolean yield, Effect.Buffer out) {
        Settlement settlement = new Settlement(name, current, yield);
        end(current);
        out.add(new Effect.GiveUp(settlement));
        retireIfEmpty(out);
        return settlement;
    }

    /** Nobody waits any more: withdraws what the store may have of us. */
    private void abandonIfUnused(Effect.Buffer out) {
        Tenure current = tenure;
        if (current == null || owner != null) {
            return;
        }
        if (current.held() || current.queued || current.copies.unanswered() || current.inFlight) {
            giveUp(current, false, out);
        } else {
            end(current);
            retireIfEmpty(out);
        }
    }

    /** Ends all waits and releases the hold. */
    void close(Supplier<RuntimeException> error, Effect.Buffer out) {
        for (Waiter waiter : new ArrayList<>(queue)) {
            finish(waiter, new Outcome.Failed(error.get()), out);
        }
        Hold hold = owner;
        owner = null;
        lostHolds = Map.of();
        if (hold != null) {
            hold.ended = true;
            hold.settlement = giveUp(hold.tenure, false, out);
        }
        abandonIfUnused(out);
        retireIfEmpty(out);
    }

    private void retireIfEmpty(Effect.Buffer out) {
        if (!retired && tenure == null && owner == null && queue.isEmpty() && lostHolds.isEmpty()) {
            retired = true;
            out.add(new Effect.Retired());
        }
    }

    /** Runs an event under the mutex, and returns what it wants done. */
    Effect.Buffer on(BiConsumer<KeySlot, Effect.Buffer> event) {
        Effect.Buffer out = new Effect.Buffer();
        mutex.lock();
        try {
            event.accept(this, out);
        } finally {
            mutex.unlock();
        }
        return out;
    }

    /** Asks or changes something that wants nothing done, under the mutex. */
    <T> T locked(Supplier<T> event) {
        mutex.lock();
        try {
            return event.get();
        } finally {
            mutex.unlock();
        }
    }
}
