package io.holdfast.internal.slot;

import io.holdfast.internal.access.Durations;
import io.holdfast.spi.Acquire;
import io.holdfast.spi.Renew;
import io.holdfast.spi.Share;
import io.holdfast.spi.Signal;
import io.holdfast.spi.StoreException;
import io.holdfast.spi.TenureId;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BiConsumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * All local state of one lock name in one way of waiting for it: who owns it, who waits, and what the client has at the
 * store.
 *
 * <p>A state machine under one short mutex. Events come in with the time at which they happened, commands go out as
 * {@link Effect}s that the caller carries out after the mutex is free; no clock is read and nothing is called in here.
 *
 * <p>This class is what is the same for all: a tenure that is held, its owners one after the other, its renewals, its end.
 * How those who wait get one is up to {@link BargingSlot}, {@link FairSlot} and {@link PermitQueue}.
 *
 * <h2>Invariants</h2>
 *
 * <ol>
 *   <li>{@code owner != null} implies that the current tenure is held, and that it is the owner's.
 *   <li>A tenure is current, or waited with, or was given up, or ended at the store: nothing the store may have granted is
 *       forgotten. One that was given up through a {@link Settlement} is never current again, so whatever its late replies
 *       say they cannot touch a later one.
 *   <li>Nothing current, no waiter, no lost hold to clear: the slot is retired, and never used again.
 * </ol>
 */
public abstract class Slot {

    public static final long FIRST_BACKOFF_NANOS = 20_000_000;
    public static final long MOST_BACKOFF_NANOS = 1_000_000_000;

    private static final long CLAIM_WINDOW_NANOS = 1_000_000_000;
    private static final long CLAIM_RESERVE_NANOS = 100_000_000;
    private static final long CLAIM_RENEWAL_NANOS = 3_000_000;

    public final String name;
    public final Share share;
    public final SlotConfig config;
    private final Supplier<TenureId> ids;
    public final WaitQueue queue;
    private final ReentrantLock mutex = new ReentrantLock();

    volatile @Nullable Tenure tenure;
    private volatile @Nullable Hold owner;
    private volatile Map<Thread, Hold> lostHolds = Map.of();
    boolean retired;

    Slot(String name, Share share, SlotConfig config, Supplier<TenureId> ids) {
        this.name = name;
        this.share = share;
        this.config = config;
        this.ids = ids;
        this.queue = new WaitQueue(name, config);
    }

    /** One that the store has not heard of. */
    final Tenure newTenure() {
        return new Tenure(ids.get(), share);
    }

    // ---- read without the mutex

    /** Who owns it, or one of those who do. */
    @Nullable
    public Hold owner() {
        return owner;
    }

    /** All who own it. */
    public List<Hold> holds() {
        Hold hold = owner;
        return hold == null ? List.of() : List.of(hold);
    }

    public boolean owns(Hold hold) {
        return owner == hold;
    }

    @Nullable
    public Tenure tenure() {
        return tenure;
    }

    /** The hold of this thread, also a lost one that it has not unlocked. */
    @Nullable
    Hold holdOf(Thread thread) {
        Hold hold = owner;
        return hold != null && hold.ownedBy(thread) ? hold : lostHolds.get(thread);
    }

    public int waiting() {
        return locked(queue::size);
    }

    // ---- what differs; all from here on runs inside locked()

    void own(Hold hold) {
        owner = hold;
    }

    void disown(Hold hold) {
        owner = null;
    }

    long token(Tenure current) {
        return current.takeToken();
    }

    /** The store is about to be asked; returns for how long somebody here will wait for the answer, in nanoseconds. */
    public long asks(Tenure asked, long now) {
        return queue.asks(asked, now);
    }

    /** Takes a waiter in; false if the slot is retired. */
    public abstract boolean arrive(Waiter waiter, long now, Effect.Buffer out);

    /** A told thread tries to take the lock that was left for it. */
    public abstract void take(Waiter waiter, long now, Effect.Buffer out);

    /**
     * Ends a waiter whose time is up, unless an answer is still to come: it may be a grant, and without a first one
     * nothing can be said.
     */
    public abstract void timeOut(Waiter waiter, long now, Effect.Buffer out);

    /** Takes a waiter off the line; false if it is not there. */
    abstract boolean remove(Waiter waiter, long now, Effect.Buffer out);

    /** Those that came along with an acquire got these arrivals; fewer if the store did not get so far. */
    public abstract void placed(List<Tenure> behind, List<Long> arrivals);

    /** The store took the tenure, or refused it, or did neither. */
    public abstract void granted(Tenure asked, Acquire.Granted reply, Validity proven, long now, Effect.Buffer out);

    public abstract void refused(Tenure asked, Acquire.Refused reply, Tenure.Base base, long now, Effect.Buffer out);

    /** Asks again at once, unless nobody has time left. */
    public abstract void repeat(Tenure asked, long now, Effect.Buffer out);

    public abstract void failed(Tenure asked, StoreException cause, long now, Effect.Buffer out);

    /** The poll timer went off. */
    public abstract void poll(Effect.PollIn poll, long now, Effect.Buffer out);

    /** The name may be free. */
    public abstract void freed(Effect.Buffer out);

    /** The name may be free, for whoever asks first. */
    public void opened(Effect.Buffer out) {
        freed(out);
    }

    /** A foreign client waits. */
    public abstract void wanted(long now, Effect.Buffer out);

    /** Gives up what is kept though nobody owns it. */
    public void letGo(Effect.Buffer out) {}

    /** What is held may be another's, and no message say so: it is not kept once nobody owns it. */
    public void doubt(long now, Effect.Buffer out) {}

    /** Returns false if the tenure is not one that waits here. */
    public abstract boolean assigned(Signal.Assigned signal, long now, Effect.Buffer out);

    /** Signals may have been missed: what is waited for is asked for again. */
    abstract void askAfterGap(Effect.Buffer out);

    /** The owner has released, and the tenure is for somebody else. */
    abstract void passOn(Hold hold, long now, Effect.Buffer out);

    /** The tenure is over: those who wait ask with another one. */
    abstract void askForTheRest(long now, Effect.Buffer out);

    /** Nobody waits any more: withdraws what the store may have of us. */
    abstract void abandonIfUnused(Effect.Buffer out);

    /** Whether the tenure may be given to the first in the line. */
    abstract boolean mayHave(Waiter head);

    /** A waiter was taken off the line, to own the tenure. */
    abstract void served(Waiter waiter, long now);

    /** A tenure was passed from owner to owner. */
    abstract void handedOn(Tenure current, Hold hold, Effect.Buffer out);

    /** How the tenure is given up. */
    abstract Settlement settlement(Tenure current, boolean yield, Effect.Buffer out);

    // ---- replies that grant and refuse nothing

    /**
     * The request reached the store after its {@code notAfter}. It is repeated once without a pause if there is time for an answer;
     * otherwise it has failed.
     */
    public final void late(Tenure asked, StoreException cause, long now, Effect.Buffer out) {
        if (asked.failures == 0 && queue.hasTime(asked, now)) {
            asked.failures++;
            repeat(asked, now, out);
        } else {
            failed(asked, cause, now, out);
        }
    }

    /**
     * The grant came after its lease had ended. It counts for nobody, like a grant that is on no replica. The first may be due to
     * a stall of this process; after the second a waiter whose time is up has its answer.
     */
    public final void outlasted(Tenure asked, StoreException cause, long now, Effect.Buffer out) {
        // the store may keep it for as long as the answer took
        asked.queued = true;
        if (asked.failures > 0) {
            queue.answered();
        }
        failed(asked, cause, now, out);
    }

    // ---- waiters

    /** Takes a waiter out; false if its outcome is there. */
    public boolean withdraw(Waiter waiter, long now, Effect.Buffer out) {
        return waiter.outcome == null && remove(waiter, now, out);
    }

    /** A waiter that was taken off the line has its outcome. */
    void ended(Waiter waiter, Effect.Buffer out) {
        out.add(new Effect.Tell(waiter));
    }

    // ---- handing out

    /** Whether the tenure can be given to the waiter without asking the store. */
    boolean fits(Tenure current, Waiter waiter, long now) {
        if (!current.hasToken() || !current.alive(now)) {
            return false;
        }
        boolean fresh = current.preparedFor == waiter;
        // a claim is renewed for the whole lease at once if its owner stays
        long wanted = current.claimed ? current.validity.lease() : waiter.spec.nanos();
        return fresh || (waiter.spec.takesAny() && current.validity.remaining(now) >= wanted / 3);
    }

    void grant(Waiter waiter, long now, boolean handedOver, Effect.Buffer out) {
        Tenure current = Objects.requireNonNull(tenure);
        if (!waiter.spec.watchdog()) {
            current.renewDue = Durations.NEVER;
        } else if (current.renewDue == Durations.NEVER) {
            renewBy(current, now, out);
        } else if (waiter.spec.keep() > 0) {
            renewBy(current, current.validity.sent() + waiter.spec.nanos() / 3, out);
        } else if (waiter.spec.nanos() > current.validity.lease() && !current.claimed) {
            renewBy(current, now, out);
        }
        Hold hold = new Hold(this, current, token(current), waiter, now);
        current.preparedFor = null;
        own(hold);
        waiter.outcome = hold;
        config.counters().grants.increment();
        if (handedOver) {
            config.counters().handoffs.increment();
            handedOn(current, hold, out);
            refill(current, now, out);
        }
        if (config.moment().eventsWanted()) {
            out.add(new Effect.Granted(hold, handedOver));
        }
    }

    private void refill(Tenure current, long now, Effect.Buffer out) {
        if (current.tokensLow() && !current.refilling) {
            current.refilling = true;
            current.wantMoreTokens();
            renewBy(current, now, out);
        }
    }

    void renewBy(Tenure current, long due, Effect.Buffer out) {
        if (current.renewDue == Durations.NEVER || due - current.renewDue < 0) {
            current.renewDue = due;
            out.add(new Effect.Watch(current));
        }
    }

    /** Gives the free tenure to the first in the line. */
    void handOut(long now, Effect.Buffer out) {
        Tenure current = Objects.requireNonNull(tenure);
        Waiter head = queue.peek();
        if (head == null || !mayHave(head)) {
            giveUp(current, false, out);
        } else if (!current.alive(now) || spent(current, head) || tooLongFor(current, head, now)) {
            giveUp(current, false, out);
            askForTheRest(now, out);
        } else if (fits(current, head, now)) {
            queue.poll();
            served(head, now);
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
        return !head.spec.watchdog() && current.mayLast(now) > head.spec.nanos();
    }

    /** Renews before handing on: too little of the lease is left, no token is, or the next owner has a lease of its own. */
    void prepare(Tenure current, Waiter head, Effect.Buffer out) {
        current.preparing = true;
        current.preparedFor = head;
        out.add(new Effect.Renew(current, head.spec.first()));
    }

    /** Is the slot, from its beginning, of a tenure that was granted to this waiter in another one. */
    final void begin(Tenure granted, Waiter waiter, long now, Effect.Buffer out) {
        tenure = granted;
        granted.state = Tenure.State.HELD;
        out.add(new Effect.Watch(granted));
        grant(waiter, now, false, out);
    }

    /** Moves the deadline; an owner's own end stays where it is. */
    void confirm(Tenure held, Validity proven, boolean renewedIfFree) {
        Hold hold = owner();
        held.confirm(proven, hold == null ? renewedIfFree : hold.watchdog());
        if (hold != null && !hold.watchdog()) {
            held.validity = held.validity.endingAt(hold.end());
        }
    }

    void becomeHeld(Tenure asked, long now, Effect.Buffer out) {
        if (!asked.held()) {
            asked.state = Tenure.State.HELD;
            out.add(new Effect.Watch(asked));
            handOut(now, out);
        }
    }

    /**
     * Takes an assigned grant; false if it cannot be relied on. Its deadline counts from when our
     * last answered poll was sent, never from the receipt: a paused client that reads a buffered message after the claim
     * lapsed would run beside the next holder.
     */
    boolean claim(Tenure asked, Waiter forWhom, Signal.Assigned signal, Tenure.@Nullable Base base, long now) {
        if (base == null || base.run() == 0 || base.run() != signal.run()) {
            return false;
        }
        long expires = base.sent() + TimeUnit.MICROSECONDS.toNanos(signal.expiresMicros() - base.serverMicros());
        // the two clocks have run beside each other since the answer by which this is read
        long deadline = expires - HoldSpec.margin(expires - base.sent());
        if (deadline - now < CLAIM_RESERVE_NANOS) {
            return false;
        }
        granted(asked);
        asked.preparedFor = forWhom.spec.takesAny() ? forWhom : null;
        asked.confirm(new Validity(now, deadline - now, deadline, base.skew()), true);
        asked.claimed = true;
        // a claim does not outlive a stall of a second: an owner that stays gets the whole lease, at once if the claim
        // came late
        asked.renewDue = deadline - now < CLAIM_WINDOW_NANOS / 2 ? now : now + CLAIM_RENEWAL_NANOS;
        asked.adopt(signal.tokens());
        return true;
    }

    void healthy(Tenure asked) {
        queue.answers();
        asked.failures = 0;
        asked.beforeMayStand = false;
    }

    void granted(Tenure asked) {
        healthy(asked);
        queue.grants();
    }

    // ---- owners

    /**
     * Ends a hold. If it is lost its owner finds that in {@link Hold#lost}; if the store has to be told, in
     * {@link Hold#settlement}.
     */
    public void release(Hold hold, long now, Effect.Buffer out) {
        expire(hold.tenure, now, out);
        if (owns(hold)) {
            hold.ended = true;
            disown(hold);
            passOn(hold, now, out);
        } else if (!hold.ended) {
            hold.ended = true;
            clearLost(hold, out);
        }
    }

    /** Name and kind, for texts. */
    public String label() {
        return ErrorTexts.label(share.mode(), name);
    }

    /** Ends a hold whose name is kept for a while: it is released after that, or lapses if this client is no more by then. */
    public void keep(Hold hold, long now, Effect.Buffer out) {
        expire(hold.tenure, now, out);
        if (owns(hold) && hold.toKeep(now) > 0) {
            out.add(new Effect.GiveUpIn(settlement(hold.tenure, false, out), hold, hold.toKeep(now)));
            lapse(hold);
            askForTheRest(now, out);
        } else {
            release(hold, now, out);
        }
    }

    /** Leaves the tenure to the end of its lease, as a crash would. */
    private void lapse(Hold hold) {
        hold.ended = true;
        disown(hold);
        if (owner() == null) {
            end(hold.tenure);
        }
    }

    void clearLost(Hold hold, Effect.Buffer out) {
        if (lostHolds.containsValue(hold)) {
            lostHolds.values().remove(hold);
        }
        if (hold.tenure.mayBeAtStore) {
            hold.tenure.mayBeAtStore = false;
            out.add(new Effect.GiveUp(settlement(hold.tenure, false, out)));
        }
        retireIfEmpty(out);
    }

    public boolean hasLostHolds() {
        return !lostHolds.isEmpty();
    }

    /** A thread that died will not unlock what it lost. */
    public void forgetTheDead(Effect.Buffer out) {
        lostHolds.values().stream().filter(Hold::ownerGone).forEach(hold -> clearLost(hold, out));
    }

    /** The owner ended without releasing: not handed on and not released; the lease runs out, as after a crash. */
    public void ownerGone(Hold hold, long now, Effect.Buffer out) {
        if (!owns(hold)) {
            clearLost(hold, out);
            return;
        }
        lapse(hold);
        out.add(new Effect.Abandoned(hold));
        askForTheRest(now, out);
    }

    /** Told to stop, the owner of a lease has lost it; the store gives the name up when the owner is done, or the lease ends. */
    public void revoke(Hold hold, String reason, long now, Effect.Buffer out) {
        if (owns(hold)) {
            lose(hold.tenure, reason, now, out);
        }
    }

    /** Nothing moves the end of the hold from now on. */
    public void stopRenewing(Hold hold, Effect.Buffer out) {
        if (owns(hold)) {
            hold.stopAt(hold.tenure.validity.deadline());
            hold.tenure.renewDue = Durations.NEVER;
            out.add(new Effect.Watch(hold.tenure));
        }
    }

    /** Its id is burnt. */
    void end(Tenure current) {
        current.state = Tenure.State.ENDED;
        tenure = null;
    }

    /** Ends the innermost of several levels; if those that are left end earlier, the hold does. */
    public void leave(Hold hold, long now, Effect.Buffer out) {
        if (hold.leave()) {
            hold.tenure.validity = hold.tenure.validity.endingAt(hold.end());
            hold.tenure.renewDue = Durations.NEVER;
            out.add(new Effect.Watch(hold.tenure));
            expire(hold.tenure, now, out);
        }
    }

    // ---- signals about what is held

    /** Signals may have been missed: what is waited for is asked for, what is held is renewed. */
    public void gap(long now, Effect.Buffer out) {
        Tenure current = tenure;
        if (current != null && current.held() && current.renewDue != Durations.NEVER) {
            renewBy(current, now, out);
        } else if (current != null && current.held()) {
            verify(current, now, out);
        }
        askAfterGap(out);
    }

    public void revoked(TenureId id, long now, Effect.Buffer out) {
        Tenure current = tenure;
        if (current == null || !current.id.equals(id)) {
            return;
        }
        current.unassign();
        if (current.held()) {
            verify(current, now, out);
        }
    }

    private void verify(Tenure current, long now, Effect.Buffer out) {
        out.add(new Effect.Renew(current, renewalSpec(current, now)));
    }

    // ---- renewals, and the deadline

    /** For how long the current tenure is to be renewed. */
    public HoldSpec renewalSpec(Tenure current, long now) {
        Hold hold = owner();
        Waiter next = current.preparedFor;
        if (hold == null) {
            Waiter heir = next != null ? next : queue.peek();
            return heir != null ? heir.spec.first() : config.spec();
        }
        // a lease of its own is verified by asking for no more than what is left of it
        return hold.watchdog()
                ? hold.renewal()
                : hold.spec.ending(Duration.ofNanos(HoldSpec.leaseFor(Math.max(1, hold.end() - now))));
    }

    public void renewed(
            Tenure renewed, Renew.Renewed reply, Validity proven, HoldSpec spec, long now, Effect.Buffer out) {
        renewed.renewSent = Durations.NEVER;
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
        confirm(renewed, proven, spec.watchdog());
        renewed.failures = 0;
        renewed.foreign(reply.foreignWaiters(), now);
        reply.tokens().ifPresent(renewed::refill);
        out.add(new Effect.Watch(renewed));
        if (renewed.preparing && isFor(renewed.preparedFor, spec)) {
            renewed.preparing = false;
            handOut(now, out);
        }
    }

    /** One that was sent before, for another, says nothing of the lease that the next owner wants. */
    private static boolean isFor(@Nullable Waiter next, HoldSpec spec) {
        return next == null || next.spec.first().equals(spec);
    }

    /**
     * A clock step leaves open whether the tenure ended meanwhile. "Renewed" proves that it did not, because an ended tenure
     * is never made again; but a late copy of its acquire, as long as one may come, would do just that.
     */
    static boolean proves(Tenure renewed, Renew.Renewed reply, Validity proven) {
        boolean stepped = Math.abs(proven.skew() - renewed.validity.skew()) > HoldSpec.margin(proven.lease());
        return !stepped || !renewed.copies.unanswered() || renewed.copies.mayComeFor(reply.serverMicros()) <= 0;
    }

    public void renewalLost(Tenure renewed, String reason, long now, Effect.Buffer out) {
        renewalRefused(renewed, reason, now, out);
        renewed.mayBeAtStore = renewed.mayBeAtStore && renewed.copies.unanswered();
    }

    /** The store may still have it: its owner's release gives it up there. */
    public void renewalRefused(Tenure renewed, String reason, long now, Effect.Buffer out) {
        renewed.renewSent = Durations.NEVER;
        if (renewed == tenure && renewed.held()) {
            lose(renewed, reason, now, out);
        }
    }

    public void renewalFailed(Tenure renewed, long now, Effect.Buffer out) {
        renewed.renewSent = Durations.NEVER;
        if (renewed == tenure && renewed.held()) {
            long most = Math.min(renewed.validity.lease() / 10, MOST_BACKOFF_NANOS);
            long delay = HoldSpec.doubled(FIRST_BACKOFF_NANOS, renewed.failures++, most);
            renewed.renewDue = now + config.moment().jittered(delay);
            out.add(new Effect.Watch(renewed));
        }
    }

    /** The deadline may have passed. */
    public void expire(Tenure held, long now, Effect.Buffer out) {
        if (held == tenure && held.held() && !held.alive(now)) {
            lose(held, whyOver(owner(), held), now, out);
        }
    }

    static String whyOver(@Nullable Hold hold, Tenure held) {
        if (hold == null || hold.watchdog()) {
            return "its lease ended at this client's clock before a renewal was confirmed: " + held.trouble;
        }
        return hold.stopped()
                ? "it was held for longer than maxHold, and its lease is over"
                : "the lease it was acquired for is over";
    }

    void lose(Tenure held, String reason, long now, Effect.Buffer out) {
        if (owner() == null) {
            giveUp(held, false, out);
        } else {
            held.mayBeAtStore = true;
            holds().forEach(hold -> loseOwner(hold, reason, out));
            end(held);
        }
        askForTheRest(now, out);
    }

    void loseOwner(Hold hold, String reason, Effect.Buffer out) {
        hold.lose(reason);
        rememberLost(hold);
        disown(hold);
        out.add(new Effect.Lost(hold, reason));
    }

    /** Until its thread has unlocked it, a lost hold is what that thread holds. */
    void rememberLost(Hold hold) {
        Thread thread = hold.thread();
        if (thread != null) {
            lostHolds = lostHolds.isEmpty() ? new ConcurrentHashMap<>() : lostHolds;
            lostHolds.put(thread, hold);
        }
    }

    // ---- giving up

    Settlement giveUp(Tenure current, boolean yield, Effect.Buffer out) {
        Settlement settlement = settlement(current, yield, out);
        end(current);
        out.add(new Effect.GiveUp(settlement));
        retireIfEmpty(out);
        return settlement;
    }

    /** Ends all waits and releases the hold, but for a name that is to be kept. */
    public void close(Supplier<RuntimeException> error, long now, Effect.Buffer out) {
        for (Waiter waiter : queue.clear()) {
            waiter.outcome = new Outcome.Failed(error.get());
            ended(waiter, out);
        }
        lostHolds = Map.of();
        List<Hold> holds = holds();
        if (holds.stream().anyMatch(hold -> hold.toKeep(now) > 0)) {
            holds.forEach(this::lapse);
            askForTheRest(now, out);
        } else if (!holds.isEmpty()) {
            holds.forEach(this::disown);
            Settlement settlement = giveUp(holds.get(0).tenure, false, out);
            for (Hold hold : holds) {
                hold.endedBy(settlement);
                out.add(new Effect.Released(hold, settlement));
            }
        }
        abandonIfUnused(out);
        retireIfEmpty(out);
    }

    public void retireIfEmpty(Effect.Buffer out) {
        if (!retired && tenure == null && owner() == null && queue.isEmpty() && lostHolds.isEmpty()) {
            retired = true;
            out.add(new Effect.Retired());
        }
    }

    /** Runs an event under the mutex, and returns what it wants done. */
    public Effect.Buffer on(BiConsumer<Slot, Effect.Buffer> event) {
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
    public <T> T locked(Supplier<T> event) {
        mutex.lock();
        try {
            return event.get();
        } finally {
            mutex.unlock();
        }
    }
}
