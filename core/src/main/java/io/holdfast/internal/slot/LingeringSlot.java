package io.holdfast.internal.slot;

import io.holdfast.internal.access.Durations;
import io.holdfast.internal.slot.Tenure.ClockSample;
import io.holdfast.spi.Acquire;
import io.holdfast.spi.Renew;
import io.holdfast.spi.Share;
import io.holdfast.spi.TenureId;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A slot whose tenure may stay at this client for a time, the <em>linger</em>, after its last owner has released it. The next
 * owner then acquires the name without a store call (lock caching).
 *
 * <h2>Invariants, besides those of {@link BargingSlot}</h2>
 *
 * <ol>
 *   <li>A lingering tenure is held at the store and owned by nobody. It is not renewed.
 *   <li>It lingers only while the next owner can use it without a renewal: until a third of its lease is left, at the latest.
 *   <li>Other clients can recall it. Its number tells the store from the first request on that it may
 *       {@linkplain TenureId#lingers linger}. So the store notifies this client of every refused request, even if the requester
 *       does not wait.
 *   <li>It is not in doubt (see below).
 * </ol>
 *
 * <h2>When a tenure lingers</h2>
 *
 * <p>A tenure lingers when its owner releases it with a linger time, no local waiter exists, and no foreign waiter is known. It
 * never lingers if the store notifies holders late.
 *
 * <h2>What ends the linger</h2>
 *
 * <ul>
 *   <li>An owner arrives that accepts any valid tenure: it receives the next token, and renewals continue where they were. A
 *       renewal that became due in the meantime is sent at once. Otherwise it might never be sent: if each owner holds the name
 *       only for a moment, the watchdog never finds an owner.
 *   <li>Another owner arrives, or the lease or the tokens are used up: the tenure is released, and a new one is requested.
 *   <li>A message or a reply reports a foreign waiter: the tenure is released at once.
 *   <li>The linger is over, messages may have been missed, the name was forced free, or the client closes: the tenure is
 *       released.
 *   <li>This client requests the name through another slot: the tenure is released. Otherwise, its own idle tenure would refuse
 *       that request.
 *   <li>The deadline passes, or a renewal under way finds the tenure lost: it is released. This is no loss, because it had no
 *       owner.
 * </ul>
 *
 * <p>The tenure is released through a {@link Settlement}, as always. Each of these cases is an event under the mutex. So if two
 * of them race, the second one sees the result of the first one. If a foreign request arrives after the next owner, the next
 * unlock obeys it. If an owner arrives after the foreign request, it finds no tenure, and sends a request.
 *
 * <h2>Doubt</h2>
 *
 * <p>A tenure that may have ended at the store without notice to this client is in doubt. This is the case if the local clocks
 * disagree, a forced release was reported, or messages may have been missed. If the tenure lingered, its loss would be hidden
 * from the owner that releases it. The next owner would then receive a name that another client holds (split brain). The doubt
 * lasts until a renewal that was sent afterward is confirmed. Until then, an unlock sends a release to the store, like the
 * unlock of any other lock.
 *
 * <h2>Costs for other clients</h2>
 *
 * <p>If the message about a refused request is lost, the waiter is delayed by a poll interval, because the store reports each
 * poll. If no message arrives at all, it waits for the rest of the linger. A reused tenure counts as handed over, so it is
 * renewed once in a poll interval. The reply reports foreign waiters.
 *
 * <p>If other clients contend for the name, lingering costs more than it saves. {@link LingerBackoff} then suspends it for some
 * time.
 *
 * <h2>References</h2>
 *
 * <p>The store's message to a client whose tenure lingers corresponds to the approval request to a leaseholder in Gray and
 * Cheriton (SOSP 1989).
 */
public final class LingeringSlot extends BargingSlot {

    /**
     * A lingering tenure, which has no owner.
     *
     * @param tenure the tenure
     * @param since the time when its last owner released it, in {@code nanoTime}
     * @param renewDue the time when its next owner has to renew it
     * @param token the last token used
     */
    public record Lingering(Tenure tenure, long since, long renewDue, long token) {}

    private final LingerBackoff backoff;
    private volatile @Nullable Lingering lingering;
    private long doubtedAt = Durations.NEVER;
    private boolean contended;
    private int reacquired;

    /**
     * Creates the slot of a name.
     *
     * @param backoff the back-off of all lingering slots of the client
     */
    LingeringSlot(String name, SlotConfig config, Supplier<TenureId> ids, LingerBackoff backoff) {
        super(name, Share.LOCK, config, ids);
        this.backoff = backoff;
    }

    /** Returns the lingering tenure, if there is one. Read without the mutex. */
    Optional<Lingering> lingering() {
        return Optional.ofNullable(lingering);
    }

    // ---- arrival

    @Override
    boolean admit(Waiter waiter, long now, Effect.Buffer out) {
        if (lingering == null) {
            return super.admit(waiter, now, out);
        }
        if (mayBarge(waiter, now)) {
            reacquire(waiter, now, out);
            return super.admit(waiter, now, out);
        }
        enqueue(waiter, now, out);
        releaseTenure(Objects.requireNonNull(tenure), false, out);
        requestForRemaining(now, out);
        return true;
    }

    private void reacquire(Waiter waiter, long now, Effect.Buffer out) {
        Lingering before = Objects.requireNonNull(lingering);
        Tenure current = before.tenure;
        lingering = null;
        current.lingerUntil = Durations.NEVER;
        current.renewDue = before.renewDue;
        if (isDue(before, now) && !current.isRenewing(now, config.command())) {
            current.handedOver = true;
            out.add(new Effect.Renew(current, waiter.spec));
        } else {
            out.add(new Effect.Watch(current));
        }
        config.counters().retaken.increment();
        if (++reacquired == LingerBackoff.LOCAL_IN_A_ROW) {
            backoff.reset(name);
        }
    }

    /**
     * Returns {@code true} if a renewal is due. It is also due after a poll interval without a reply, because a message about a
     * foreign waiter may have been lost.
     */
    private boolean isDue(Lingering before, long now) {
        boolean unheard = !before.tenure.handedOver && now - before.tenure.validity.sent() >= config.poll();
        return unheard || (before.renewDue != Durations.NEVER && before.renewDue - now <= 0);
    }

    @Override
    Tenure tenureFor(Waiter head, long now) {
        Tenure plain = super.tenureFor(head, now);
        boolean mark = config.notifiesHolders() && head.spec.linger() > 0 && backoff.mayLinger(name, now);
        return mark ? new Tenure(plain.id.lingering(), share) : plain;
    }

    // ---- release

    @Override
    void afterRelease(Hold hold, long now, Effect.Buffer out) {
        Tenure current = hold.tenure;
        boolean quiet = queue.isEmpty() && !contended;
        if (quiet) {
            backoff.usedLocally(name);
        }
        long until = now + Math.min(hold.spec.linger(), current.validity.remaining(now) - current.validity.lease() / 3);
        if (quiet && mayLinger(hold) && until - now > 0) {
            lingering = new Lingering(current, now, current.renewDue, hold.token);
            current.renewDue = Durations.NEVER;
            current.lingerUntil = until;
            out.add(new Effect.Watch(current));
        } else {
            super.afterRelease(hold, now, out);
        }
    }

    private boolean mayLinger(Hold hold) {
        boolean doubtful = hold.discarded || hold.doubtful || doubtedAt != Durations.NEVER;
        return hold.tenure.id.lingers() && hold.watchdog() && !doubtful && !backoff.isAwaited(name);
    }

    // ---- foreign waiters

    @Override
    public void contended(long now, Effect.Buffer out) {
        super.contended(now, out);
        Tenure current = tenure;
        if (current != null && current.held()) {
            noteForeignWaiters(current, now, out);
        }
    }

    /** Reacts to foreign waiters that were reported, not to those that are only assumed. Repeated reports count once. */
    private void noteForeignWaiters(Tenure current, long now, Effect.Buffer out) {
        boolean wasContended = contended;
        contended = current.foreignWaiters > 0;
        if (!contended || wasContended) {
            return;
        }
        if (current.id.lingers()) {
            backoff.contended(name, now);
        } else {
            backoff.usedElsewhere(name);
        }
        stopLingering(out);
    }

    /** Records that another client holds the name, or comes first. */
    @Override
    public void refused(Tenure requested, Acquire.Refused reply, ClockSample sample, long now, Effect.Buffer out) {
        backoff.usedElsewhere(name);
        super.refused(requested, reply, sample, now, out);
    }

    @Override
    public void stopLingering(Effect.Buffer out) {
        Lingering idle = lingering;
        if (idle != null) {
            releaseTenure(idle.tenure, false, out);
        }
    }

    @Override
    public void gap(long now, Effect.Buffer out) {
        putInDoubt(now, out);
        super.gap(now, out);
    }

    @Override
    public void putInDoubt(long now, Effect.Buffer out) {
        doubtedAt = tenure == null ? Durations.NEVER : now;
        stopLingering(out);
    }

    /** Ends the doubt if the renewal was sent after the doubt arose. An earlier renewal proves nothing. */
    private void endDoubt(Tenure renewed, Validity proven) {
        boolean confirmed = renewed == tenure && renewed.validity.sent() - proven.sent() >= 0;
        if (confirmed && doubtedAt != Durations.NEVER && proven.sent() - doubtedAt > 0) {
            doubtedAt = Durations.NEVER;
        }
    }

    @Override
    public void revoked(TenureId id, long now, Effect.Buffer out) {
        Tenure current = tenure;
        if (current != null && current.id.equals(id)) {
            putInDoubt(now, out);
        }
        super.revoked(id, now, out);
    }

    // ---- answers to requests that were sent while the tenure had an owner

    @Override
    void becomeHeld(Tenure requested, long now, Effect.Buffer out) {
        super.becomeHeld(requested, now, out);
        afterReply(requested, now, out);
    }

    @Override
    public void renewed(
            Tenure renewed, Renew.Renewed reply, Validity proven, HoldSpec spec, long now, Effect.Buffer out) {
        super.renewed(renewed, reply, proven, spec, now, out);
        endDoubt(renewed, proven);
        afterReply(renewed, now, out);
    }

    private void afterReply(Tenure current, long now, Effect.Buffer out) {
        if (current == tenure && current.held()) {
            noteForeignWaiters(current, now, out);
            postponeRenewal();
        }
    }

    @Override
    public void renewalFailed(Tenure renewed, long now, Effect.Buffer out) {
        super.renewalFailed(renewed, now, out);
        postponeRenewal();
    }

    /** Postpones the renewal of a lingering tenure until it has an owner. */
    private void postponeRenewal() {
        Lingering idle = lingering;
        if (idle != null && idle.tenure.renewDue != Durations.NEVER) {
            lingering = new Lingering(idle.tenure, idle.since, idle.tenure.renewDue, idle.token);
            idle.tenure.renewDue = Durations.NEVER;
        }
    }

    @Override
    void end(Tenure current) {
        super.end(current);
        lingering = null;
        doubtedAt = Durations.NEVER;
        contended = false;
        reacquired = 0;
    }
}
