package io.holdfast.internal.slot;

import io.holdfast.internal.access.Durations;
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
import java.util.function.Supplier;

/**
 * A slot whose name a newcomer may acquire ahead of the waiters (barging). The owners of a client share a tenure. Clients take
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
 * <p>At most one {@link Tenure} is <em>current</em>. It is requested first, and then held. Only one call is in flight at a
 * time, even with many local waiters. A signal that arrives meanwhile may be newer than the reply. So it is stored, and applied
 * after the reply:
 *
 * <ul>
 *   <li>{@code Assigned} voids the refusal of the same tenure.
 *   <li>{@code Freed} makes the slot send another request at once.
 *   <li>{@code Wanted} reports a foreign waiter.
 * </ul>
 *
 * <h2>Local side</h2>
 *
 * <p>While the tenure is held, it is handed over from owner to owner without a store call. Each owner receives the next token.
 * Strict handoff to parked threads would cost a wake-up each time. So a release leaves the tenure free and notifies the head of
 * the wait queue, and a running thread may barge ahead of it. Once a waiter has been the head for {@value #MAX_BARGING_NANOS}
 * ns, newcomers no longer barge, and the next release hands the tenure over directly. So no waiter starves.
 *
 * <p>If foreign clients wait, or may wait unnoticed, the tenure is handed over locally for a slice only. Then the release
 * assigns the name to the first foreign waiter. The local waiters queue behind that waiter with a new tenure.
 *
 * <h2>References</h2>
 *
 * <p>The handover between clients is the cohort lock of Dice, Marathe and Shavit (PPoPP 2012), with time instead of counts as
 * its bound. The handover between threads is that of a nonfair {@link java.util.concurrent.locks.ReentrantLock}, with a bound
 * on barging.
 */
public class BargingSlot extends Slot {

    static final long MAX_BARGING_NANOS = 1_000_000;

    private long headSince;
    private boolean headNotified;

    public BargingSlot(String name, Share share, SlotConfig config, Supplier<TenureId> ids) {
        super(name, share, config, ids);
    }

    // ---- waiters

    @Override
    boolean admit(Waiter waiter, long now, Effect.Buffer out) {
        if (mayBarge(waiter, now)) {
            grant(waiter, now, true, out);
        } else if (waiter.outOfTime(now) && isHopeless()) {
            waiter.outcome = new Outcome.Busy(Optional.empty());
        } else {
            enqueue(waiter, now, out);
            return true;
        }
        if (!waiter.acquiresItself()) {
            out.add(new Effect.Notify(waiter));
        }
        return true;
    }

    /** Returns {@code true} if a newcomer without time to wait cannot acquire the name. */
    boolean isHopeless() {
        return tenure != null || !queue.isEmpty();
    }

    /** Returns {@code true} if the pending request is for this waiter. */
    boolean isRequestedFor(Waiter waiter) {
        Tenure current = tenure;
        return queue.peek() == waiter && current != null && !current.held();
    }

    @Override
    public void tryAcquire(Waiter waiter, long now, Effect.Buffer out) {
        if (waiter.outcome == null && queue.peek() == waiter) {
            headNotified = false;
            if (isFree()) {
                handOverToHead(now, out);
            }
        }
    }

    @Override
    boolean awaitsAnswer(Waiter waiter) {
        return isRequestedFor(waiter)
                && (!waiter.answered || Objects.requireNonNull(tenure).inFlight());
    }

    final void enqueue(Waiter waiter, long now, Effect.Buffer out) {
        if (queue.isEmpty()) {
            headChanged(now);
        }
        queue.add(waiter);
        if (tenure == null) {
            requestAnew(now, out);
        }
    }

    @Override
    boolean remove(Waiter waiter, long now, Effect.Buffer out) {
        boolean wasHead = queue.peek() == waiter;
        if (!queue.remove(waiter)) {
            return false;
        }
        if (wasHead) {
            headChanged(now);
        }
        if (queue.isEmpty()) {
            abandonIfUnused(out);
        } else if (wasHead && isFree()) {
            offerToHead(now, out);
        }
        return true;
    }

    private void headChanged(long now) {
        headSince = now;
        headNotified = false;
    }

    private boolean isFree() {
        Tenure current = tenure;
        return current != null && current.held() && owner() == null && !current.preparing;
    }

    final boolean mayBarge(Waiter waiter, long now) {
        Tenure current = tenure;
        return current != null
                && isFree()
                && waiter.spec.acceptsAnyTenure()
                && (queue.isEmpty() || now - headSince <= MAX_BARGING_NANOS)
                && fits(current, waiter, now);
    }

    @Override
    boolean mayHandOverTo(Waiter head) {
        return true;
    }

    @Override
    void dequeued(Waiter waiter, long now) {
        headChanged(now);
    }

    /**
     * Schedules a renewal within a poll interval, whose reply reports foreign waiters. So a lost {@code Wanted} delays them by
     * that interval at most.
     */
    @Override
    void handedOver(Tenure current, Hold hold, Effect.Buffer out) {
        if (!current.handedOver && hold.watchdog()) {
            current.handedOver = true;
            renewBy(current, current.validity.sent() + config.poll(), out);
        }
    }

    /**
     * Offers the free tenure to the head of the wait queue. Normally, the head is only notified, so that a running thread may
     * barge. The tenure is handed over directly if the head has been overtaken for too long, cannot acquire it by itself, or
     * needs a renewal first.
     */
    private void offerToHead(long now, Effect.Buffer out) {
        Waiter head = Objects.requireNonNull(queue.peek());
        Tenure current = Objects.requireNonNull(tenure);
        boolean barged = now - headSince > MAX_BARGING_NANOS;
        if (barged || !head.acquiresItself() || !fits(current, head, now)) {
            handOverToHead(now, out);
        } else if (!headNotified) {
            headNotified = true;
            out.add(new Effect.Notify(head));
        }
    }

    // ---- after a release

    @Override
    void afterRelease(Hold hold, long now, Effect.Buffer out) {
        Tenure current = hold.tenure;
        if (queue.isEmpty()) {
            hold.settlement = releaseTenure(current, isSliceOver(current, now), out);
        } else if (hold.doubtful || current.ownerHoldsAnother || mustYield(current, now, out)) {
            hold.settlement = releaseTenure(current, !current.ownerHoldsAnother, out);
            requestAnew(now, out);
        } else {
            offerToHead(now, out);
        }
    }

    private boolean mustYield(Tenure current, long now, Effect.Buffer out) {
        if (!wouldBeNotified(now, out)) {
            current.setForeignWaiters(Math.max(1, current.foreignWaiters), now);
        }
        return isSliceOver(current, now);
    }

    /**
     * Returns {@code true} if signals are known to arrive, so that a foreign waiter would have been reported. If the last
     * confirmation of that is too old, or soon will be, a new one is requested.
     */
    boolean wouldBeNotified(long now, Effect.Buffer out) {
        if (!config.notifiesHolders()) {
            return false;
        }
        if (!config.client().signalsFresh(now + config.poll() / 2)) {
            out.add(new Effect.ConfirmSignals());
        }
        return config.client().signalsFresh(now);
    }

    /** Returns {@code true} if foreign clients have waited for a whole slice. */
    boolean isSliceOver(Tenure current, long now) {
        return current.sliceStart != Durations.NEVER
                && now - current.sliceStart >= config.client().sliceNanos();
    }

    @Override
    Settlement settlement(Tenure current, boolean yield, Effect.Buffer out) {
        return new Settlement(name, current, yield, List.of());
    }

    // ---- replies

    @Override
    public void granted(Tenure requested, Acquire.Granted reply, Validity proven, long now, Effect.Buffer out) {
        requested.endRequest();
        if (requested != tenure) {
            if (requested.settlement == null) {
                out.add(new Effect.Settle(settlement(requested, false, out)));
            }
            return;
        }
        storeGranted(requested);
        Waiter waiter = requested.preparedFor;
        confirm(requested, proven, waiter == null ? Durations.NEVER : waiter.spec.endOf(proven));
        requested.tokens.adopt(reply.tokens());
        requested.setForeignWaiters(Math.max(reply.foreignWaiters(), requested.contendedMeanwhile ? 1 : 0), now);
        becomeHeld(requested, now, out);
    }

    @Override
    public void refused(Tenure requested, Acquire.Refused reply, ClockSample sample, long now, Effect.Buffer out) {
        InFlight request = requested.endRequest();
        if (requested != tenure || requested.held()) {
            return;
        }
        requested.clockSample = sample;
        requested.arrival = reply.arrival();
        requested.refusedWith(reply.arrival(), request);
        recordRefusal(requested, reply, now).forEach(waiter -> notifyRemoved(waiter, out));
        keepWaiting(request, requested, reply, now, out);
    }

    private void keepWaiting(InFlight request, Tenure requested, Acquire.Refused reply, long now, Effect.Buffer out) {
        boolean registered = !needsPlace() || reply.arrival() != 0 || requested.noRoom;
        if (queue.isEmpty()) {
            abandonIfUnused(out);
        } else if (request.assigned != null) {
            applyAssignment(requested, request.assigned, now, out);
        } else if (request.freed || !registered) {
            requestAgain(requested, out);
        } else {
            pollIn(requested, Math.min(retryAfter(requested, reply, now), pollDelay(requested)), out);
        }
    }

    /** Schedules the next poll, which replaces any earlier one. */
    private static void pollIn(Tenure requested, long nanos, Effect.Buffer out) {
        out.add(new Effect.PollIn(requested, ++requested.pollNumber, nanos));
    }

    @Override
    void repeat(Tenure requested, long now, Effect.Buffer out) {
        requested.endRequest();
        if (requested == tenure && !requested.held()) {
            removeExpired(requested, now, out);
            requestAgainIfNeeded(requested, out);
        }
    }

    @Override
    public void failed(Tenure requested, StoreException cause, long now, Effect.Buffer out) {
        requested.endRequest();
        if (requested != tenure || requested.held()) {
            return;
        }
        queue.requestFailed(requested, cause, now);
        removeExpired(requested, now, out);
        if (queue.isEmpty()) {
            abandonIfUnused(out);
        } else {
            long delay = queue.backoff(requested, now);
            boolean unconfirmed = cause.effect() == StoreException.Effect.UNCONFIRMED;
            pollIn(unconfirmed ? replaceTenure(requested, now, out) : requested, delay, out);
        }
    }

    /**
     * Replaces a tenure that was granted at the store, although the grant cannot be relied on. The tenure is released so that
     * it does not exclude others. The new tenure queues behind them.
     */
    private Tenure replaceTenure(Tenure requested, long now, Effect.Buffer out) {
        Tenure fresh = tenureFor(Objects.requireNonNull(queue.peek()), now);
        fresh.continueFrom(requested);
        releaseTenure(requested, true, out);
        recordReplaced(requested);
        tenure = fresh;
        return fresh;
    }

    private void removeExpired(Tenure requested, long now, Effect.Buffer out) {
        queue.removeExpired(requested, now).forEach(waiter -> notifyRemoved(waiter, out));
        headChanged(now);
    }

    // ---- requests

    private void requestAnew(long now, Effect.Buffer out) {
        Tenure fresh = tenureFor(Objects.requireNonNull(queue.peek()), now);
        fresh.startedAt = now;
        tenure = fresh;
        headChanged(now);
        if (queue.size() > 1) {
            fresh.tokens.requestMore();
        }
        requestAgain(fresh, out);
    }

    /** Creates the tenure to request for the head of the wait queue. */
    Tenure tenureFor(Waiter head, long now) {
        return newTenure(share);
    }

    private void requestAgain(Tenure requested, Effect.Buffer out) {
        Waiter head = Objects.requireNonNull(queue.peek());
        requested.startRequest(needsPlace());
        requested.preparedFor = head;
        out.add(new Effect.Request(
                requested, head.spec.initial(), needsPlace() ? Queueing.BARGING : Queueing.NONE, List.of()));
    }

    private boolean needsPlace() {
        return queue.anyCanWait();
    }

    private void requestAgainIfNeeded(Tenure requested, Effect.Buffer out) {
        if (queue.isEmpty()) {
            abandonIfUnused(out);
        } else {
            requestAgain(requested, out);
        }
    }

    @Override
    public void poll(Effect.PollIn poll, long now, Effect.Buffer out) {
        Tenure polled = poll.tenure();
        if (polled == tenure && poll.number() == polled.pollNumber && !polled.inFlight() && !polled.held()) {
            removeExpired(polled, now, out);
            requestAgainIfNeeded(polled, out);
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
            requestAgainIfNeeded(current, out);
        }
    }

    @Override
    public void contended(long now, Effect.Buffer out) {
        Tenure current = tenure;
        if (current != null && current.held()) {
            current.setForeignWaiters(Math.max(1, current.foreignWaiters), now);
        } else if (current != null) {
            current.contendedMeanwhile = true;
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
            applyAssignment(current, signal, now, out);
        }
        return true;
    }

    private void applyAssignment(Tenure requested, Signal.Assigned signal, long now, Effect.Buffer out) {
        Waiter head = queue.peek();
        if (head == null || !claim(requested, head, signal, requested.clockSample, now)) {
            requestAgainIfNeeded(requested, out);
            return;
        }
        requested.setForeignWaiters(Math.max(signal.foreignWaiters(), requested.contendedMeanwhile ? 1 : 0), now);
        if (!head.spec.acceptsAnyTenure()) {
            requestAgain(requested, out);
        } else {
            becomeHeld(requested, now, out);
        }
    }

    @Override
    void requestAfterGap(Effect.Buffer out) {
        Tenure current = tenure;
        if (current != null) {
            current.clockSample = null;
            if (!current.held() && !current.inFlight()) {
                requestAgainIfNeeded(current, out);
            }
        }
    }

    // ---- the end of a tenure

    @Override
    void requestForRemaining(long now, Effect.Buffer out) {
        if (!queue.isEmpty()) {
            requestAnew(now, out);
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
            releaseTenure(current, false, out);
        } else {
            end(current);
            retireIfEmpty(out);
        }
    }
}
