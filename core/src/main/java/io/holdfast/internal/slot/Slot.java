package io.holdfast.internal.slot;

import io.holdfast.internal.access.Durations;
import io.holdfast.internal.slot.Tenure.ClockSample;
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
 * The local state of one lock name, for one way of waiting for it: its owner, its waiters, and the client's tenure at the
 * store.
 *
 * <h2>Invariants</h2>
 *
 * <ol>
 *   <li>If there is an {@code owner}, the current tenure is held, and it is the owner's tenure.
 *   <li>Nothing that the store may have granted is forgotten. Each tenure is current, or a waiter waits with it, or it was
 *       given up, or it has ended at the store.
 *   <li>A tenure that was given up through a {@link Settlement} is never current again. So its late replies cannot affect a
 *       later tenure (ABA).
 *   <li>A slot without a current tenure, a waiter or a lost hold to clear is retired, and is never used again.
 * </ol>
 *
 * <h2>How it works</h2>
 *
 * <p>A slot is a state machine under one short mutex. Events come in with the time at which they happened. Commands go out as
 * {@link Effect}s, which the caller carries out when the mutex is free. Under the mutex, no clock is read and nothing outside
 * is called.
 *
 * <p>This class has what all slots have in common: a held tenure, its successive owners, its renewals, and its end.
 * {@link BargingSlot}, {@link FairSlot} and {@link PermitQueue} define how waiters acquire a tenure.
 *
 * <h2>References</h2>
 *
 * <p>For a tenure that its client renews, and that the store ends after a time limit: the leases of Gray and Cheriton (SOSP
 * 1989). For the split into a state and a wait queue, inside one JVM:
 * {@link java.util.concurrent.locks.AbstractQueuedSynchronizer}.
 */
public abstract class Slot {

    private static final long FIRST_POLL_NANOS = 5_000_000;
    public static final long FIRST_BACKOFF_NANOS = 20_000_000;
    public static final long MAX_BACKOFF_NANOS = 1_000_000_000;

    private static final long CLAIM_RESERVE_NANOS = 100_000_000;
    private static final long CLAIM_RENEWAL_NANOS = 3_000_000;

    public final String name;
    public final Share share;
    public final SlotConfig config;
    final Supplier<TenureId> ids;
    public final WaitQueue queue;
    private final ReentrantLock mutex = new ReentrantLock();

    volatile @Nullable Tenure tenure;
    private volatile @Nullable Hold owner;
    private volatile Map<Thread, Hold> lostHolds = Map.of();
    boolean retired;

    /** Set for good if newcomers no longer join the slot. */
    volatile boolean closedToNewcomers;

    Slot(String name, Share share, SlotConfig config, Supplier<TenureId> ids) {
        this.name = name;
        this.share = share;
        this.config = config;
        this.ids = ids;
        this.queue = new WaitQueue(name, config);
    }

    /** Creates a tenure that the store does not know. */
    final Tenure newTenure(Share share) {
        return new Tenure(ids.get(), share);
    }

    // ---- read without the mutex

    /** Returns the owner, or one of them if there are several; null if there is none. */
    public @Nullable Hold owner() {
        return owner;
    }

    /** Returns the holds of all owners. */
    public List<Hold> holds() {
        Hold hold = owner;
        return hold == null ? List.of() : List.of(hold);
    }

    public boolean owns(Hold hold) {
        return owner == hold;
    }

    public @Nullable Tenure tenure() {
        return tenure;
    }

    /** Returns the hold of the thread, even a lost one that the thread has not unlocked; null if there is none. */
    @Nullable
    Hold holdOf(Thread thread) {
        Hold hold = owner;
        return hold != null && hold.ownedBy(thread) ? hold : lostHolds.get(thread);
    }

    public int waiterCount() {
        return locked(queue::size);
    }

    // ---- defined by subclasses; everything from here on that changes the slot runs under the mutex

    void own(Hold hold) {
        owner = hold;
    }

    void disown(Hold hold) {
        owner = null;
    }

    long token(Tenure current) {
        return current.tokens.take();
    }

    /**
     * Records that the store is about to be asked.
     *
     * @return the time until the first waiter no longer waits for the answer, in nanoseconds
     */
    public long onSend(Tenure requested, long now) {
        return queue.onSend(requested, now);
    }

    /**
     * Takes a waiter in.
     *
     * @return {@code false} if the slot cannot take it in, for example because the slot is retired
     */
    public final boolean arrive(Waiter waiter, long now, Effect.Buffer out) {
        return !retired && admit(waiter, now, out);
    }

    abstract boolean admit(Waiter waiter, long now, Effect.Buffer out);

    /** Lets a notified thread try to take the lock that was left free for it. */
    public void tryAcquire(Waiter waiter, long now, Effect.Buffer out) {}

    /**
     * Ends a waiter whose time is up, unless an answer is still to come. That answer may be a grant. Before the first answer,
     * the outcome is unknown.
     */
    public final void timeOut(Waiter waiter, long now, Effect.Buffer out) {
        waiter.timedOut = true;
        if (waiter.outcome == null && !awaitsAnswer(waiter)) {
            waiter.outcome = queue.timedOut(waiter, tenure, now);
            remove(waiter, now, out);
            out.add(new Effect.Notify(waiter));
        }
    }

    /** Returns {@code true} if the answer that the waiter awaits decides its outcome, even if its time is up. */
    abstract boolean awaitsAnswer(Waiter waiter);

    /**
     * Removes a waiter from the wait queue.
     *
     * @return {@code false} if it is not in the wait queue
     */
    abstract boolean remove(Waiter waiter, long now, Effect.Buffer out);

    /**
     * Records the arrivals of the tenures that were sent along with an acquire. There are fewer arrivals if the store did not
     * get that far.
     */
    public void placed(List<Tenure> behind, List<Long> arrivals) {}

    /** Handles a reply that grants the tenure. */
    public abstract void granted(Tenure requested, Acquire.Granted reply, Validity proven, long now, Effect.Buffer out);

    /** Handles a reply that refuses the tenure. */
    public abstract void refused(
            Tenure requested, Acquire.Refused reply, ClockSample sample, long now, Effect.Buffer out);

    /** Asks again at once, unless no waiter has time left. */
    public abstract void repeat(Tenure requested, long now, Effect.Buffer out);

    /** Handles a request that was neither granted nor refused: it failed, or has no answer. */
    public abstract void failed(Tenure requested, StoreException cause, long now, Effect.Buffer out);

    /** Handles the expiry of the poll timer. */
    public abstract void poll(Effect.PollIn poll, long now, Effect.Buffer out);

    /** Handles a signal that the name may be free. */
    public abstract void freed(Effect.Buffer out);

    /** Handles a signal that the name may be free for the first client that asks. */
    public void opened(Effect.Buffer out) {
        freed(out);
    }

    /** Handles a signal that a foreign client waits. */
    public void contended(long now, Effect.Buffer out) {}

    /** Gives up a lingering tenure, if there is one. */
    public void stopLingering(Effect.Buffer out) {}

    /**
     * Puts the tenure in doubt: another client may hold the name, and no message may have said so. A tenure in doubt does not
     * linger.
     */
    public void putInDoubt(long now, Effect.Buffer out) {}

    /**
     * Handles a signal that the name was assigned to a tenure.
     *
     * @return {@code false} if this slot does not know the tenure
     */
    public abstract boolean assigned(Signal.Assigned signal, long now, Effect.Buffer out);

    /** Asks again for everything that is waited for, because signals may have been missed (lost wake-up). */
    abstract void requestAfterGap(Effect.Buffer out);

    /** Passes the tenure on after its owner has released it. */
    abstract void afterRelease(Hold hold, long now, Effect.Buffer out);

    /** Asks with another tenure for the remaining waiters, because the tenure is over. */
    abstract void requestForRemaining(long now, Effect.Buffer out);

    /** Withdraws what the store may have of this client, if nobody waits or holds any more. */
    abstract void abandonIfUnused(Effect.Buffer out);

    /** Returns {@code true} if the tenure may be handed over to the head of the wait queue. */
    abstract boolean mayHandOverTo(Waiter head);

    /** Records that a waiter was removed from the wait queue to own the tenure. */
    void dequeued(Waiter waiter, long now) {}

    /** Records that the tenure was handed over from one owner to the next. */
    void handedOver(Tenure current, Hold hold, Effect.Buffer out) {}

    /** Creates the settlement that gives the tenure up. */
    abstract Settlement settlement(Tenure current, boolean yield, Effect.Buffer out);

    // ---- replies that neither grant nor refuse

    /**
     * Handles a request that reached the store after its {@code notAfter}. The first one is repeated without a pause if there
     * is time for an answer. Otherwise, the request has failed.
     */
    public final void late(Tenure requested, StoreException cause, long now, Effect.Buffer out) {
        if (requested.failures == 0 && queue.hasTime(requested, now)) {
            requested.failures++;
            repeat(requested, now, out);
        } else {
            failed(requested, cause, now, out);
        }
    }

    /**
     * Handles a grant that arrived after its lease had ended. It counts for nobody, like a grant that is on no replica. The
     * first one may be due to a stall of this process. After the second one, a waiter whose time is up has its answer.
     */
    public final void grantExpired(Tenure requested, StoreException cause, long now, Effect.Buffer out) {
        // the store may keep the tenure for as long as the answer took, so it has to be withdrawn
        requested.queued = true;
        if (requested.failures > 0) {
            queue.markAllAnswered();
        }
        failed(requested, cause, now, out);
    }

    // ---- waiters

    /**
     * Removes a waiter from the wait queue.
     *
     * @return {@code false} if it already has an outcome, or is not in the wait queue
     */
    public boolean withdraw(Waiter waiter, long now, Effect.Buffer out) {
        return waiter.outcome == null && remove(waiter, now, out);
    }

    /** Notifies a waiter that was removed from the wait queue that its outcome is there. */
    void notifyRemoved(Waiter waiter, Effect.Buffer out) {
        out.add(new Effect.Notify(waiter));
    }

    // ---- handing the tenure over

    /** Returns {@code true} if the tenure can be handed over to the waiter without a store call. */
    boolean fits(Tenure current, Waiter waiter, long now) {
        if (!current.tokens.available() || !current.unexpired(now)) {
            return false;
        }
        boolean prepared = current.preparedFor == waiter;
        // a claim is renewed for the whole lease within milliseconds if its owner stays, so it is measured by its own
        // lease
        long lease = current.claimed ? current.validity.lease() : waiter.spec.nanos();
        return prepared || (waiter.spec.acceptsAnyTenure() && current.validity.remaining(now) >= lease / 3);
    }

    void grant(Waiter waiter, long now, boolean handedOver, Effect.Buffer out) {
        Tenure current = Objects.requireNonNull(tenure);
        if (!waiter.spec.watchdog()) {
            current.renewDue = Durations.NEVER;
        } else if (current.renewDue == Durations.NEVER) {
            renewBy(current, now, out);
        } else if (waiter.spec.minHold() > 0) {
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
            handedOver(current, hold, out);
            refill(current, now, out);
        }
        if (config.client().hasGrantListeners()) {
            out.add(new Effect.Granted(hold, handedOver));
        }
    }

    private void refill(Tenure current, long now, Effect.Buffer out) {
        if (current.tokens.low() && !current.refilling) {
            current.refilling = true;
            current.tokens.requestMore();
            renewBy(current, now, out);
        }
    }

    void renewBy(Tenure current, long due, Effect.Buffer out) {
        if (current.renewDue == Durations.NEVER || due - current.renewDue < 0) {
            current.renewDue = due;
            out.add(new Effect.Watch(current));
        }
    }

    /**
     * Hands the free tenure over to the head of the wait queue. If it cannot be handed over, it is renewed first or given up.
     */
    void handOverToHead(long now, Effect.Buffer out) {
        Tenure current = Objects.requireNonNull(tenure);
        Waiter head = queue.peek();
        if (head == null || !mayHandOverTo(head)) {
            releaseTenure(current, false, out);
        } else if (!current.unexpired(now) || outOfTokens(current, head) || tooLongFor(current, head, now)) {
            releaseTenure(current, false, out);
            requestForRemaining(now, out);
        } else if (fits(current, head, now)) {
            queue.poll();
            dequeued(head, now);
            grant(head, now, current.handedOver || current.preparedFor != head, out);
            out.add(new Effect.Notify(head));
        } else {
            prepare(current, head, out);
        }
    }

    /**
     * Returns {@code true} if a renewal for this waiter brought no token. A store that issues no further tokens ends the tenure
     * with its block.
     */
    private static boolean outOfTokens(Tenure current, Waiter head) {
        return current.preparedFor == head && !current.tokens.available();
    }

    /**
     * Returns {@code true} if the tenure may outlast the waiter's own lease. A store never shortens a lease, so such an owner
     * needs a tenure of its own.
     */
    private boolean tooLongFor(Tenure current, Waiter head, long now) {
        return !head.spec.watchdog() && current.mayLastFor(now) > head.spec.nanos();
    }

    /**
     * Renews the tenure before it is handed over: too little of the lease is left, no token is left, or the next owner has a
     * lease of its own.
     */
    void prepare(Tenure current, Waiter head, Effect.Buffer out) {
        current.preparing = true;
        current.preparedFor = head;
        out.add(new Effect.Renew(current, head.spec.initial()));
    }

    /** Begins this slot with a tenure that was granted to the waiter in another slot. */
    final void startWith(Tenure granted, Waiter waiter, long now, Effect.Buffer out) {
        tenure = granted;
        granted.state = Tenure.State.HELD;
        out.add(new Effect.Watch(granted));
        grant(waiter, now, false, out);
    }

    /**
     * Moves the deadline of the tenure by a confirmation. If the owner has a lease of its own, the end of that lease is not
     * exceeded.
     */
    void confirm(Tenure held, Validity proven, boolean renewedIfFree) {
        Hold hold = owner();
        held.confirm(proven, hold == null ? renewedIfFree : hold.watchdog());
        if (hold != null && !hold.watchdog()) {
            held.validity = held.validity.endingAt(hold.end());
        }
    }

    void becomeHeld(Tenure requested, long now, Effect.Buffer out) {
        if (!requested.held()) {
            requested.state = Tenure.State.HELD;
            out.add(new Effect.Watch(requested));
            handOverToHead(now, out);
        }
    }

    /**
     * Takes a grant that was assigned by a message. Its deadline counts from the time when this client's last answered poll was
     * sent, never from the receipt of the message. Otherwise, a paused client that reads a buffered message after the claim has
     * lapsed would run beside the next holder (split brain).
     *
     * @return {@code false} if the grant cannot be relied on
     */
    boolean claim(Tenure requested, Waiter waiter, Signal.Assigned signal, @Nullable ClockSample sample, long now) {
        if (sample == null || sample.run() == 0 || sample.run() != signal.run()) {
            return false;
        }
        long expires = sample.sent() + TimeUnit.MICROSECONDS.toNanos(signal.expiresMicros() - sample.serverMicros());
        // the margin covers the drift of the two clocks since the reply by which the message is read
        long deadline = expires - HoldSpec.margin(expires - sample.sent());
        if (deadline - now < CLAIM_RESERVE_NANOS) {
            return false;
        }
        storeGranted(requested);
        requested.preparedFor = waiter.spec.acceptsAnyTenure() ? waiter : null;
        requested.confirm(new Validity(now, deadline - now, deadline, sample.skew()), true);
        requested.claimed = true;
        // a claim does not survive a stall of the claim window: an owner that stays is renewed for the whole lease, at
        // once if the claim came late
        requested.renewDue = deadline - now < config.claimWindow() / 2 ? now : now + CLAIM_RENEWAL_NANOS;
        requested.tokens.adopt(signal.tokens());
        return true;
    }

    /** Returns {@code true} if the waiter is not notified by a signal, so that the store has to be polled often. */
    boolean polls(Waiter waiter) {
        return !config.notifiesWaiters() || waiter.spec.waiting() == HoldSpec.Waiting.POLLING;
    }

    /**
     * Returns the delay of the next poll. For waiters that are notified, a poll only repairs a lost wake-up. Other waiters
     * learn from it that the name is free, so it begins fast and backs off.
     */
    long pollDelay(Tenure requested, boolean polling) {
        long delay = polling ? HoldSpec.doubled(FIRST_POLL_NANOS, requested.polls++, config.poll()) : config.poll();
        return config.client().jittered(delay);
    }

    void storeAnswered(Tenure requested) {
        queue.storeAnswered();
        requested.failures = 0;
        requested.earlierOutcomeUnknown = false;
    }

    void storeGranted(Tenure requested) {
        storeAnswered(requested);
        queue.grantCounted();
    }

    // ---- owners

    /**
     * Ends a hold. If it is lost, its owner finds that in {@link Hold#lost}. If the store has to be asked, the release is in
     * {@link Hold#settlement}.
     */
    public void release(Hold hold, long now, Effect.Buffer out) {
        expire(hold.tenure, now, out);
        if (owns(hold)) {
            hold.ended = true;
            disown(hold);
            afterRelease(hold, now, out);
        } else if (!hold.ended) {
            hold.ended = true;
            clearLost(hold, out);
        }
    }

    /** Returns the kind and the name, for texts. */
    public String label() {
        return ErrorTexts.label(share.mode(), name);
    }

    /**
     * Ends a hold whose name is kept for a minimum time. It is released after that time. If this client no longer runs by then,
     * the lease expires.
     */
    public void releaseAfterMinHold(Hold hold, long now, Effect.Buffer out) {
        expire(hold.tenure, now, out);
        if (owns(hold) && hold.minHoldLeft(now) > 0) {
            out.add(new Effect.SettleIn(settlement(hold.tenure, false, out), hold, hold.minHoldLeft(now)));
            letExpire(hold);
            requestForRemaining(now, out);
        } else {
            release(hold, now, out);
        }
    }

    /** Abandons the tenure, which then expires at the store as after a crash. */
    private void letExpire(Hold hold) {
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
            out.add(new Effect.Settle(settlement(hold.tenure, false, out)));
        }
        retireIfEmpty(out);
    }

    public boolean hasLostHolds() {
        return !lostHolds.isEmpty();
    }

    /** Clears the lost holds of dead threads, which will not unlock them. */
    public void clearDeadOwners(Effect.Buffer out) {
        lostHolds.values().stream().filter(Hold::isAbandoned).forEach(hold -> clearLost(hold, out));
    }

    /**
     * Handles an owner that ended without releasing. The tenure is neither handed over nor released. Its lease expires, as
     * after a crash.
     */
    public void abandoned(Hold hold, long now, Effect.Buffer out) {
        if (!owns(hold)) {
            clearLost(hold, out);
            return;
        }
        letExpire(hold);
        out.add(new Effect.Abandoned(hold));
        requestForRemaining(now, out);
    }

    /**
     * Makes the owner of a lease lose it, because the owner is asked to stop. The store frees the name when the owner has
     * released it, or when the lease ends.
     */
    public void revoke(Hold hold, String reason, long now, Effect.Buffer out) {
        if (owns(hold)) {
            lose(hold.tenure, reason, now, out);
        }
    }

    /** Stops the renewal of a hold. Nothing moves its end to a later time from now on. */
    public void stopRenewing(Hold hold, Effect.Buffer out) {
        if (owns(hold)) {
            hold.stopAt(hold.tenure.validity.deadline());
            hold.tenure.renewDue = Durations.NEVER;
            out.add(new Effect.Watch(hold.tenure));
        }
    }

    /** Ends the tenure. Its id is burnt: it is never requested again. */
    void end(Tenure current) {
        current.state = Tenure.State.ENDED;
        tenure = null;
    }

    /** Ends the innermost of several levels. If the remaining levels end earlier, so does the hold. */
    public void exit(Hold hold, long now, Effect.Buffer out) {
        if (hold.exit()) {
            hold.tenure.validity = hold.tenure.validity.endingAt(hold.end());
            hold.tenure.renewDue = Durations.NEVER;
            out.add(new Effect.Watch(hold.tenure));
            expire(hold.tenure, now, out);
        }
    }

    // ---- signals about a held tenure

    /** Handles a gap in the signals. Requests again what is waited for, and renews what is held. */
    public void gap(long now, Effect.Buffer out) {
        Tenure current = tenure;
        if (current != null && current.held() && current.renewDue != Durations.NEVER) {
            renewBy(current, now, out);
        } else if (current != null && current.held()) {
            verify(current, now, out);
        }
        requestAfterGap(out);
    }

    /** Handles a signal that a tenure was taken away. A renewal verifies it. */
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

    /** Returns the spec with which the current tenure is to be renewed. */
    public HoldSpec renewalSpec(Tenure current, long now) {
        Hold hold = owner();
        Waiter next = current.preparedFor;
        if (hold == null) {
            Waiter nextOwner = next != null ? next : queue.peek();
            return nextOwner != null ? nextOwner.spec.initial() : config.spec();
        }
        // a lease of its own is verified by a renewal for no more than what is left of it
        return hold.watchdog()
                ? hold.renewal()
                : hold.spec.withOwnLease(Duration.ofNanos(HoldSpec.leaseFor(Math.max(1, hold.end() - now))));
    }

    public void renewed(
            Tenure renewed, Renew.Renewed reply, Validity proven, HoldSpec spec, long now, Effect.Buffer out) {
        renewed.renewSent = Durations.NEVER;
        renewed.refilling = false;
        if (renewed != tenure || !renewed.held()) {
            return;
        }
        if (!renewed.unexpired(now)) {
            expire(renewed, now, out);
            return;
        }
        if (!proves(renewed, reply, proven)) {
            renewalFailed(renewed, now, out);
            return;
        }
        confirm(renewed, proven, spec.watchdog());
        renewed.failures = 0;
        renewed.setForeignWaiters(reply.foreignWaiters(), now);
        reply.tokens().ifPresent(renewed.tokens::refill);
        out.add(new Effect.Watch(renewed));
        if (renewed.preparing && isFor(renewed.preparedFor, spec)) {
            renewed.preparing = false;
            handOverToHead(now, out);
        }
    }

    /**
     * Returns {@code true} if a renewal with this spec was sent for the next owner. An earlier renewal for another owner proves
     * nothing about the lease that the next owner needs.
     */
    private static boolean isFor(@Nullable Waiter next, HoldSpec spec) {
        return next == null || next.spec.initial().equals(spec);
    }

    /**
     * Returns {@code true} if the reply proves that the tenure never ended.
     *
     * <p>After a clock step, the tenure may have ended in the meantime. "Renewed" proves that it did not, because an ended
     * tenure is never created again. There is one exception: a late duplicate of its acquire would create it again. So the
     * reply proves nothing for as long as such a duplicate can be applied.
     */
    static boolean proves(Tenure renewed, Renew.Renewed reply, Validity proven) {
        boolean stepped = Math.abs(proven.skew() - renewed.validity.skew()) > HoldSpec.margin(proven.lease());
        return !stepped || !renewed.copies.unanswered() || renewed.copies.applicableFor(reply.serverMicros()) <= 0;
    }

    /** Handles a renewal that did not find the tenure. The store can have it again only by a late duplicate of its acquire. */
    public void renewalLost(Tenure renewed, String reason, long now, Effect.Buffer out) {
        renewalRefused(renewed, reason, now, out);
        renewed.mayBeAtStore = renewed.mayBeAtStore && renewed.copies.unanswered();
    }

    /** Handles a renewal that was refused. The store may still have the tenure. Its owner's release gives it up there. */
    public void renewalRefused(Tenure renewed, String reason, long now, Effect.Buffer out) {
        renewed.renewSent = Durations.NEVER;
        if (renewed == tenure && renewed.held()) {
            lose(renewed, reason, now, out);
        }
    }

    public void renewalFailed(Tenure renewed, long now, Effect.Buffer out) {
        renewed.renewSent = Durations.NEVER;
        if (renewed == tenure && renewed.held()) {
            long max = Math.min(renewed.validity.lease() / 10, MAX_BACKOFF_NANOS);
            long delay = HoldSpec.doubled(FIRST_BACKOFF_NANOS, renewed.failures++, max);
            renewed.renewDue = now + config.client().jittered(delay);
            out.add(new Effect.Watch(renewed));
        }
    }

    /** Ends the tenure if its deadline has passed. */
    public void expire(Tenure held, long now, Effect.Buffer out) {
        if (held == tenure && held.held() && !held.unexpired(now)) {
            lose(held, expiryReason(owner(), held), now, out);
        }
    }

    static String expiryReason(@Nullable Hold hold, Tenure held) {
        if (hold == null || hold.watchdog()) {
            return "its lease ended at this client's clock before a renewal was confirmed: " + held.lastFailure;
        }
        return hold.stopped()
                ? "it was held for longer than maxHold, and its lease has ended"
                : "the lease that it was acquired for has ended";
    }

    void lose(Tenure held, String reason, long now, Effect.Buffer out) {
        if (owner() == null) {
            releaseTenure(held, false, out);
        } else {
            held.mayBeAtStore = true;
            holds().forEach(hold -> loseOwner(hold, reason, out));
            end(held);
        }
        requestForRemaining(now, out);
    }

    void loseOwner(Hold hold, String reason, Effect.Buffer out) {
        hold.lose(reason);
        recordLost(hold);
        disown(hold);
        out.add(new Effect.Lost(hold, reason));
    }

    /** Records a lost hold for its thread. Until the thread has unlocked it, the lost hold is what the thread holds. */
    void recordLost(Hold hold) {
        Thread thread = hold.thread();
        if (thread != null) {
            lostHolds = lostHolds.isEmpty() ? new ConcurrentHashMap<>() : lostHolds;
            lostHolds.put(thread, hold);
        }
    }

    // ---- giving up

    Settlement releaseTenure(Tenure current, boolean yield, Effect.Buffer out) {
        Settlement settlement = settlement(current, yield, out);
        end(current);
        out.add(new Effect.Settle(settlement));
        retireIfEmpty(out);
        return settlement;
    }

    /** Ends all waits and releases the hold, unless its name is to be kept for a minimum time. */
    public void close(Supplier<RuntimeException> error, long now, Effect.Buffer out) {
        for (Waiter waiter : queue.clear()) {
            waiter.outcome = new Outcome.Failed(error.get());
            notifyRemoved(waiter, out);
        }
        lostHolds = Map.of();
        List<Hold> holds = holds();
        if (holds.stream().anyMatch(hold -> hold.minHoldLeft(now) > 0)) {
            holds.forEach(this::letExpire);
            requestForRemaining(now, out);
        } else if (!holds.isEmpty()) {
            holds.forEach(this::disown);
            Settlement settlement = releaseTenure(holds.get(0).tenure, false, out);
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

    /**
     * Runs an event under the mutex.
     *
     * @return the effects, to be carried out when the mutex is free
     */
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

    /** Runs a query or a change without effects under the mutex, and returns its result. */
    public <T> T locked(Supplier<T> event) {
        mutex.lock();
        try {
            return event.get();
        } finally {
            mutex.unlock();
        }
    }
}
