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
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The local state of one lock name, for one way of waiting for it: its owner, its waiters, and the client's tenure at the
 * store.
 *
 * <h2>Invariants</h2>
 *
 * <ol>
 *   <li>If there is an {@code owner}, the current tenure is held, and it is the owner's tenure.
 *   <li>No tenure that the store may have granted is leaked. Each tenure is current, or the ticket of a waiter, or released by
 *       a {@link Settlement}, or left to expire.
 *   <li>A tenure that has ended is never current again. So its late replies cannot affect a later tenure (ABA).
 *   <li>A slot without a current tenure, a waiter or a lost hold to clear is retired, and is never used again.
 * </ol>
 *
 * <h2>How it works</h2>
 *
 * <p>A slot is a state machine. One mutex, which is held only briefly, guards it. Each event comes with the time at which it
 * happened. Commands go out as {@link Effect}s, which the caller carries out when the mutex is free. Under the mutex, no clock
 * is read and no code outside the slot is called.
 *
 * <p>This class implements what all slots have in common: a held tenure, its successive owners, its renewals, and its end.
 * {@link BargingSlot}, {@link FairSlot} and {@link PermitQueue} define how waiters acquire a tenure.
 *
 * <h2>References</h2>
 *
 * <p>A tenure corresponds to a lease of Gray and Cheriton (SOSP 1989): the client renews it, and it expires at the store. The
 * counterpart inside one JVM, a state with a wait queue, is {@link java.util.concurrent.locks.AbstractQueuedSynchronizer}.
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

    /** The releases of grants that did not count, and were replaced. Those that the store has answered may be left. */
    private List<Settlement> replaced = List.of();

    volatile @Nullable Tenure tenure;
    private volatile @Nullable Hold owner;
    private volatile Map<Thread, Hold> lostHolds = Map.of();
    boolean retired;

    /** Set, and never cleared, if newcomers no longer join the slot. */
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

    boolean owns(Hold hold) {
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
     * Records that a request is about to be sent.
     *
     * @return the time until the first waiter no longer waits for the answer, in nanoseconds
     */
    public long onSend(Tenure requested, long now) {
        return queue.onSend(requested, now);
    }

    /**
     * Admits a waiter.
     *
     * @return {@code false} if the slot cannot admit it, for example because the slot is retired
     */
    public final boolean arrive(Waiter waiter, long now, Effect.Buffer out) {
        return !retired && admit(waiter, now, out);
    }

    abstract boolean admit(Waiter waiter, long now, Effect.Buffer out);

    /** Grants the free tenure to a notified thread, unless another one has barged ahead. */
    public void tryAcquire(Waiter waiter, long now, Effect.Buffer out) {}

    /**
     * Ends a waiter whose time is up, unless it awaits an answer. That answer may be a grant, and without any answer, its
     * outcome would be unknown.
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
     * register all of them.
     */
    public void placed(List<Tenure> behind, List<Long> arrivals) {}

    /** Handles a reply that grants the tenure. */
    public abstract void granted(Tenure requested, Acquire.Granted reply, Validity proven, long now, Effect.Buffer out);

    /** Handles a reply that refuses the tenure. */
    public abstract void refused(
            Tenure requested, Acquire.Refused reply, ClockSample sample, long now, Effect.Buffer out);

    /** Sends the request again at once, unless no waiter has time left. */
    abstract void repeat(Tenure requested, long now, Effect.Buffer out);

    /** Handles a request that was neither granted nor refused: it failed, or has no answer. */
    public abstract void failed(Tenure requested, StoreException cause, long now, Effect.Buffer out);

    /** Handles the expiry of the poll timer. */
    public abstract void poll(Effect.PollIn poll, long now, Effect.Buffer out);

    /** Handles a signal that the name may be free. */
    public abstract void freed(Effect.Buffer out);

    /** Handles a signal that the name may be free, and that any client may request it. */
    public void opened(Effect.Buffer out) {
        freed(out);
    }

    /** Handles {@link Signal.Wanted}: a foreign client waits. */
    public void contended(long now, Effect.Buffer out) {}

    /** Releases a lingering tenure, if there is one. */
    public void stopLingering(Effect.Buffer out) {}

    /**
     * Puts the tenure in doubt: another client may hold the name although no message has reported it. A tenure in doubt does
     * not linger.
     */
    public void putInDoubt(long now, Effect.Buffer out) {}

    /**
     * Handles a signal that the name was assigned to a tenure.
     *
     * @return {@code false} if this slot does not know the tenure
     */
    public abstract boolean assigned(Signal.Assigned signal, long now, Effect.Buffer out);

    /** Sends the requests of all waiters again, because signals may have been missed (lost wake-up). */
    abstract void requestAfterGap(Effect.Buffer out);

    /** Hands the tenure over or releases it, after its owner has released the hold. */
    abstract void afterRelease(Hold hold, long now, Effect.Buffer out);

    /** Requests a new tenure for the remaining waiters, because the present one has ended. */
    abstract void requestForRemaining(long now, Effect.Buffer out);

    /** Releases or withdraws everything at the store if the slot has no waiter and no owner. */
    abstract void abandonIfUnused(Effect.Buffer out);

    /** Returns {@code true} if the tenure may be handed over to the head of the wait queue. */
    abstract boolean mayHandOverTo(Waiter head);

    /** Records that a waiter was removed from the wait queue to own the tenure. */
    void dequeued(Waiter waiter, long now) {}

    /** Records that the tenure was handed over from one owner to the next. */
    void handedOver(Tenure current, Hold hold, Effect.Buffer out) {}

    /** Creates the settlement that releases the tenure. */
    abstract Settlement settlement(Tenure current, boolean yield, Effect.Buffer out);

    // ---- refusals

    /** Records that another tenure is requested in place of this one, which was granted at the store and is being released. */
    final void recordReplaced(Tenure before) {
        replaced = Stream.concat(replaced.stream(), Stream.ofNullable(before.settlement))
                .filter(Settlement::isUndecided)
                .toList();
    }

    /**
     * Returns {@code true} if a replaced tenure has refused the request, which has overtaken its release on the way to the store.
     * Nobody else holds the name then. So the refusal is no answer for the waiters.
     */
    final boolean refusedByReplaced(Acquire.Refused reply) {
        return queue.inOutage()
                && reply.holder()
                        .filter(holder -> replaced.stream().anyMatch(each -> holder.equals(each.tenure.id.toString())))
                        .isPresent();
    }

    /**
     * Records that the store has refused a request.
     *
     * @return the waiters that have no time left, which were removed
     */
    final List<Waiter> recordRefusal(Tenure requested, Acquire.Refused reply, long now) {
        if (refusedByReplaced(reply)) {
            return queue.removeExpired(requested, now);
        }
        storeAnswered(requested);
        return queue.refused(requested, reply.holder(), now);
    }

    /** Returns the time after which a refused request is to be repeated at the latest. */
    final long retryAfter(Tenure requested, Acquire.Refused reply, long now) {
        long hint = Durations.nanos(reply.retryAfter());
        return refusedByReplaced(reply) ? Math.min(hint, queue.backoff(requested, now)) : hint;
    }

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
     * Handles a grant that arrived after its lease had ended. It cannot be used, like a grant that was not replicated. The
     * first one may be caused by a stall of this process, which is no outage of the store, so the patience with the store begins
     * anew. The second one counts as the answer for a waiter whose time is up.
     */
    public final void grantExpired(Tenure requested, StoreException cause, long now, Effect.Buffer out) {
        // the lease may still run at the store, so the tenure has to be released
        requested.queued = true;
        if (requested.failures > 0) {
            queue.markAllAnswered();
        } else {
            requested.startedAt = now;
            requested.lastRequestAt = now;
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

    /** Notifies a waiter of its outcome, after it was removed from the wait queue. */
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
        // if its owner continues to hold, a claim is renewed for the whole lease within milliseconds, so its own short
        // lease is the measure
        long lease = current.claimed ? current.validity.lease() : waiter.spec.nanos();
        return prepared || (waiter.spec.acceptsAnyTenure() && current.validity.remaining(now) >= lease / 3);
    }

    void grant(Waiter waiter, long now, boolean handedOver, Effect.Buffer out) {
        Tenure current = Objects.requireNonNull(tenure);
        Hold hold = new Hold(this, current, token(current), waiter, now);
        if (!waiter.spec.watchdog()) {
            current.renewDue = hold.needsRenewal() ? current.renewDue : Durations.NEVER;
        } else if (current.renewDue == Durations.NEVER) {
            renewBy(current, now, out);
        } else if (waiter.spec.minHold() > 0) {
            renewBy(current, current.validity.sent() + waiter.spec.nanos() / 3, out);
        } else if (waiter.spec.nanos() > current.validity.requested() && !current.claimed) {
            renewBy(current, now, out);
        }
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

    /** Hands the free tenure over to the head of the wait queue. If that is not possible, renews it first or releases it. */
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
     * Returns {@code true} if a renewal for this waiter returned no token. Without further tokens, the tenure cannot be handed
     * over.
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

    /** Starts this slot with a tenure that was granted to the waiter in a {@link PermitQueue}. */
    final void startWith(Tenure granted, Waiter waiter, long now, Effect.Buffer out) {
        tenure = granted;
        granted.state = Tenure.State.HELD;
        out.add(new Effect.Watch(granted));
        grant(waiter, now, false, out);
    }

    /**
     * Moves the deadline of the tenure by a confirmation. If the owner has a lease of its own, the end of that lease is not
     * exceeded.
     *
     * @param endIfFree the time until which the tenure is to be held if it has no owner yet; {@link Durations#NEVER} if the
     *     watchdog renews it
     */
    void confirm(Tenure held, Validity proven, long endIfFree) {
        Hold hold = owner();
        held.confirm(proven, hold == null ? endIfFree : hold.end());
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
     * Accepts a grant that was assigned by a message. The deadline counts from the time when the last answered poll was sent,
     * never from the receipt of the message. Otherwise, a paused client could read a buffered message after the claim has
     * expired, and would run beside the next holder (split brain).
     *
     * @return {@code false} if the grant cannot be relied on
     */
    boolean claim(Tenure requested, Waiter waiter, Signal.Assigned signal, @Nullable ClockSample sample, long now) {
        if (sample == null || sample.run() == 0 || sample.run() != signal.run()) {
            return false;
        }
        long expires = sample.sent() + TimeUnit.MICROSECONDS.toNanos(signal.expiresMicros() - sample.serverMicros());
        // the margin covers the drift of the two clocks since the poll whose reply converts the server time
        long deadline = expires - HoldSpec.margin(expires - sample.sent());
        if (deadline - now < CLAIM_RESERVE_NANOS) {
            return false;
        }
        storeGranted(requested);
        requested.preparedFor = waiter.spec.acceptsAnyTenure() ? waiter : null;
        requested.confirm(new Validity(now, deadline - now, deadline - now, deadline, sample.skew()), Durations.NEVER);
        requested.claimed = true;
        // a stall as long as the claim window would lose the claim: if its owner continues to hold, it is renewed for
        // the whole lease, at once if the claim arrived late
        requested.renewDue = deadline - now < config.claimWindow() / 2 ? now : now + CLAIM_RENEWAL_NANOS;
        requested.tokens.adopt(signal.tokens());
        return true;
    }

    /**
     * Returns the delay of the next poll. If the tenure has a position in the queue of the store, a poll only repairs a lost
     * wake-up. Otherwise only a poll finds the name free, so polls start fast and back off.
     */
    long pollDelay(Tenure requested) {
        long delay =
                requested.noRoom ? HoldSpec.doubled(FIRST_POLL_NANOS, requested.polls++, config.poll()) : config.poll();
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
     * Releases a hold. A loss is visible in {@link Hold#lost}. If the tenure is released at the store as well,
     * {@link Hold#settlement} is set.
     */
    public void release(Hold hold, long now, Effect.Buffer out) {
        expire(hold.tenure, now, out);
        if (owns(hold)) {
            hold.ended = true;
            disown(hold);
            afterRelease(hold, now, out);
        } else {
            clearLost(hold, now, out);
        }
    }

    /** Returns the kind and the name, for texts. */
    public String label() {
        return ErrorTexts.label(share.mode(), name);
    }

    /**
     * Ends a hold with a minimum hold time. The tenure is released at the end of that time. If this client no longer runs by
     * then, the lease expires.
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

    /**
     * Ends a lost hold. If the store may still hold the tenure, the last of the owners that lost it releases it there, so that no
     * other client receives the name while one of them is at work.
     */
    private void clearLost(Hold hold, long now, Effect.Buffer out) {
        boolean last = !hold.ended && --hold.tenure.lostOwners == 0;
        hold.ended = true;
        if (lostHolds.containsValue(hold)) {
            lostHolds.values().remove(hold);
        }
        if (last) {
            releaseLost(hold, now, out);
        }
        retireIfEmpty(out);
    }

    /**
     * Releases a lost tenure if the store may still hold it. A name with a minimum hold time stays taken until that time is up,
     * because its work may have begun, unless the hold was discarded before that.
     */
    private void releaseLost(Hold hold, long now, Effect.Buffer out) {
        if (hold.tenure.mayBeAtStore) {
            hold.tenure.mayBeAtStore = false;
            Settlement release = settlement(hold.tenure, false, out);
            long left = hold.discarded ? 0 : hold.minHoldLeft(now);
            out.add(left > 0 ? new Effect.SettleIn(release, hold, left) : new Effect.Settle(release));
        }
    }

    public boolean hasLostHolds() {
        return !lostHolds.isEmpty();
    }

    /** Clears the lost holds of dead threads, which will not unlock them. */
    public void clearDeadOwners(long now, Effect.Buffer out) {
        lostHolds.values().stream().filter(Hold::isAbandoned).forEach(hold -> clearLost(hold, now, out));
    }

    /**
     * Handles an owner that ended without releasing. The tenure is neither handed over nor released. Its lease expires, as
     * after a crash.
     */
    public void abandoned(Hold hold, long now, Effect.Buffer out) {
        if (owns(hold)) {
            letExpire(hold);
            out.add(new Effect.Abandoned(hold));
            requestForRemaining(now, out);
        } else {
            clearLost(hold, now, out);
        }
    }

    /**
     * Releases a hold whose lease has not reached its owner in time. It counts as lost, because its owner may receive it at this
     * moment.
     */
    public void undelivered(Hold hold, String reason, long now, Effect.Buffer out) {
        if (owns(hold)) {
            hold.discarded = true;
            release(hold, now, out);
            if (hold.lose(reason)) {
                out.add(new Effect.Lost(hold, reason));
            }
        }
    }

    /** Stops the watchdog of a hold. From now on, its end does not move to a later time. */
    public void stopRenewing(Hold hold, Effect.Buffer out) {
        if (owns(hold)) {
            hold.stopAt(hold.end() == Durations.NEVER ? hold.tenure.validity.deadline() : hold.end());
            hold.tenure.renewDue = hold.needsRenewal() ? hold.tenure.renewDue : Durations.NEVER;
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
            hold.tenure.renewDue = hold.needsRenewal() ? hold.tenure.renewDue : Durations.NEVER;
            out.add(new Effect.Watch(hold.tenure));
            expire(hold.tenure, now, out);
        }
    }

    // ---- signals about a held tenure

    /** Handles a gap in the signals: sends the requests of waiters again, and verifies a held tenure by a renewal. */
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
        if (current != null && current.id.equals(id)) {
            current.unassign();
            if (current.held()) {
                verify(current, now, out);
            }
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
        // a renewal that verifies an own lease asks for no more than what is left of it
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
        if (!proven.orLater(renewed.validity).unexpired(now)) {
            // the session of the store is in doubt, or the answer took longer than the lease: the next one
            // may prove more
            renewed.lastFailure = "the store confirmed it for a time that is already over";
            renewalFailed(renewed, now, out);
            return;
        }
        confirm(renewed, proven, spec.endOf(proven));
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

    /** Handles a renewal that did not find the tenure. Only a late duplicate of the acquire could create it again. */
    public void renewalLost(Tenure renewed, String reason, long now, Effect.Buffer out) {
        renewalRefused(renewed, reason, now, out);
        renewed.mayBeAtStore = renewed.mayBeAtStore && renewed.copies.unanswered();
    }

    /**
     * Handles a renewal that was refused. The store may still hold the tenure. It is released there when the owner releases its
     * hold.
     */
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

    /**
     * Ends the tenure if its deadline has passed. If its owner wanted no more, but the store may keep it longer, because a renewal
     * has no answer, it is released there at once.
     */
    public void expire(Tenure held, long now, Effect.Buffer out) {
        if (held == tenure && held.held() && !held.unexpired(now)) {
            Hold hold = owner();
            lose(held, expiryReason(hold, held), now, out);
            if (hold != null && !hold.needsRenewal() && held.mayOutlast(now)) {
                releaseLost(hold, now, out);
            }
        }
    }

    static String expiryReason(@Nullable Hold hold, Tenure held) {
        if (hold == null || hold.needsRenewal()) {
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
            holds().forEach(hold -> loseOwner(hold, reason, out));
            held.mayBeAtStore = true;
            end(held);
        }
        requestForRemaining(now, out);
    }

    private void loseOwner(Hold hold, String reason, Effect.Buffer out) {
        hold.lose(reason);
        hold.tenure.lostOwners++;
        recordLost(hold);
        disown(hold);
        out.add(new Effect.Lost(hold, reason));
    }

    /** Records a lost hold for its thread. Until the thread has unlocked it, {@link #holdOf} returns the lost hold. */
    void recordLost(Hold hold) {
        Thread thread = hold.thread();
        if (thread != null) {
            lostHolds = lostHolds.isEmpty() ? new ConcurrentHashMap<>() : lostHolds;
            lostHolds.put(thread, hold);
        }
    }

    // ---- releasing the tenure

    Settlement releaseTenure(Tenure current, boolean yield, Effect.Buffer out) {
        Settlement settlement = settlement(current, yield, out);
        end(current);
        out.add(new Effect.Settle(settlement));
        retireIfEmpty(out);
        return settlement;
    }

    /** Ends all waits and releases the hold, unless its minimum hold time is not over. */
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
