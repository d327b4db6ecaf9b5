package io.holdfast.internal.slot;

import io.holdfast.internal.access.Durations;
import io.holdfast.spi.Acquire;
import io.holdfast.spi.Renew;
import io.holdfast.spi.Share;
import io.holdfast.spi.TenureId;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A name that this client may keep for a while, the <em>linger</em>, after its last owner has left: the next owner then takes
 * it without a store call.
 *
 * <h2>When a tenure is kept</h2>
 *
 * <p>When an owner leaves that wanted it so, nobody waits here, and nobody is known to wait elsewhere. Others have to be able
 * to ask for it. So only a tenure is kept that was marked when it was asked for: its number tells the store that it
 * {@linkplain TenureId#lingers lingers}, and the store then tells this client of everybody who is refused, also of those who
 * do not wait.
 *
 * <p>A kept tenure is held at the store and owned by nobody. It is not renewed, and kept for as long only as the next owner
 * may use it as it is: until a third of its lease is left, at the latest.
 *
 * <h2>What may happen to one</h2>
 *
 * <ul>
 *   <li>An owner comes that takes any valid tenure: it gets the next token, and renewals go on where they were. What fell due
 *       meanwhile is renewed at once; a name that is taken again and again for a moment is never found owned by the watchdog.
 *   <li>Another owner comes, or the lease or the tokens are used up: given up, and the store is asked anew.
 *   <li>Somebody waits elsewhere, by message or by the count in a reply: given up at once.
 *   <li>The linger is over, a gap may have swallowed messages, the name is asked for by this client in another way, was
 *       forced free, or the client closes: given up.
 *   <li>The deadline passes, or a renewal that was under way finds it lost: given up. It is no loss, as nobody had it.
 * </ul>
 *
 * <p>To give up is to release as usual, through a {@link Settlement}. Each of these is an event under the mutex, so of two
 * that race the second finds what the first has made of it: a wish that comes after the next owner is obeyed by the next
 * unlock, an owner that comes after the wish finds nothing and asks the store.
 *
 * <h2>What is not kept</h2>
 *
 * <p>A tenure that may have ended at the store without this client being told: its clocks have parted, a forced release was
 * heard of, messages may have been missed. To keep it would be to hide a loss from the owner that leaves, and to give its next
 * one what others have. So it is in doubt until a renewal that was sent afterwards is confirmed; until then an unlock asks the
 * store, as that of any other lock does.
 *
 * <h2>What it costs others</h2>
 *
 * <p>A lost wish costs who waits a poll interval, as the store passes each poll on; if none gets through, the rest of the linger.
 * A name that is taken again counts as handed on, and is renewed once in a poll interval, which tells who waits.
 *
 * <p>Where others want the name, keeping costs more than it saves, and {@link LingerBackoff} ends it for a time.
 */
public final class LingeringSlot extends BargingSlot {

    /**
     * A tenure that nobody owns.
     *
     * @param since when its last owner left, in {@code nanoTime}
     * @param renewDue when it would have to be renewed if it had an owner
     * @param token the last one used
     */
    public record Kept(Tenure tenure, long since, long renewDue, long token) {}

    private final LingerBackoff revocations;
    private final Predicate<String> isInLine;
    private volatile @Nullable Kept kept;
    private long doubtedAt = Durations.NEVER;
    private boolean wanted;
    private int taken;

    /** @param isInLine whether this client waits for a name in a fair place, of which the store tells it nothing */
    LingeringSlot(
            String name,
            SlotConfig config,
            Supplier<TenureId> ids,
            LingerBackoff revocations,
            Predicate<String> isInLine) {
        super(name, Share.LOCK, config, ids);
        this.revocations = revocations;
        this.isInLine = isInLine;
    }

    /** What is kept and owned by nobody. Read without the mutex. */
    Optional<Kept> kept() {
        return Optional.ofNullable(kept);
    }

    // ---- coming

    @Override
    public boolean arrive(Waiter waiter, long now, Effect.Buffer out) {
        if (kept == null) {
            return super.arrive(waiter, now, out);
        }
        if (mayOvertake(waiter, now)) {
            takeAgain(waiter, now, out);
            return super.arrive(waiter, now, out);
        }
        enqueue(waiter, now, out);
        giveUp(Objects.requireNonNull(tenure), false, out);
        askForTheRest(now, out);
        return true;
    }

    private void takeAgain(Waiter waiter, long now, Effect.Buffer out) {
        Kept before = Objects.requireNonNull(kept);
        Tenure current = before.tenure;
        kept = null;
        current.keptUntil = Durations.NEVER;
        current.renewDue = before.renewDue;
        if (isDue(before, now) && !current.renewing(now, config.command())) {
            current.handedOn = true;
            out.add(new Effect.Renew(current, waiter.spec));
        } else {
            out.add(new Effect.Watch(current));
        }
        config.counters().retaken.increment();
        if (++taken == LingerBackoff.LOCAL_IN_A_ROW) {
            revocations.paysOff(name);
        }
    }

    /** What was not heard of for a poll interval counts as due, as the wish of somebody else may have been lost. */
    private boolean isDue(Kept before, long now) {
        Tenure current = before.tenure;
        boolean unheard = !current.handedOn && now - current.validity.sent() >= config.poll();
        return unheard || (before.renewDue != Durations.NEVER && before.renewDue - now <= 0);
    }

    @Override
    Tenure tenureFor(Waiter head, long now) {
        Tenure plain = super.tenureFor(head, now);
        boolean mark = head.spec.linger() > 0 && revocations.mayKeep(name, now);
        return mark ? new Tenure(plain.id.lingering(), share) : plain;
    }

    // ---- leaving

    @Override
    void passOn(Hold hold, long now, Effect.Buffer out) {
        Tenure current = hold.tenure;
        boolean quiet = queue.isEmpty() && !wanted;
        if (quiet) {
            revocations.isLocal(name);
        }
        long until = now + Math.min(hold.spec.linger(), current.validity.remaining(now) - current.validity.lease() / 3);
        if (quiet && mayKeep(hold) && until - now > 0) {
            kept = new Kept(current, now, current.renewDue, hold.token);
            current.renewDue = Durations.NEVER;
            current.keptUntil = until;
            out.add(new Effect.Watch(current));
        } else {
            super.passOn(hold, now, out);
        }
    }

    private boolean mayKeep(Hold hold) {
        boolean doubtful = hold.discarded || doubtedAt != Durations.NEVER;
        return hold.tenure.id.lingers() && hold.watchdog() && !doubtful && !isInLine.test(name);
    }

    // ---- others want it

    @Override
    public void wanted(long now, Effect.Buffer out) {
        super.wanted(now, out);
        Tenure current = tenure;
        if (current != null && current.held()) {
            isWanted(current, now, out);
        }
    }

    /** By what was heard of those who wait elsewhere, not by what is assumed of them; each counts once, however often it asks. */
    private void isWanted(Tenure current, long now, Effect.Buffer out) {
        boolean before = wanted;
        wanted = current.foreignWaiters > 0;
        if (!wanted || before) {
            return;
        }
        if (current.id.lingers()) {
            revocations.isWanted(name, now);
        } else {
            revocations.isShared(name);
        }
        letGo(out);
    }

    /** Without a holder it was refused together with others, because of one of those. */
    @Override
    public void refused(Tenure asked, Acquire.Refused reply, Tenure.Base base, long now, Effect.Buffer out) {
        if (reply.holder().isPresent()) {
            revocations.isShared(name);
        }
        super.refused(asked, reply, base, now, out);
    }

    @Override
    public void letGo(Effect.Buffer out) {
        Kept idle = kept;
        if (idle != null) {
            giveUp(idle.tenure, false, out);
        }
    }

    @Override
    public void gap(long now, Effect.Buffer out) {
        doubt(now, out);
        super.gap(now, out);
    }

    @Override
    public void doubt(long now, Effect.Buffer out) {
        doubtedAt = tenure == null ? Durations.NEVER : now;
        letGo(out);
    }

    /** One that was sent before the doubt arose says nothing of it. */
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
            doubt(now, out);
        }
        super.revoked(id, now, out);
    }

    // ---- answers to what was sent while somebody owned it

    @Override
    void becomeHeld(Tenure asked, long now, Effect.Buffer out) {
        super.becomeHeld(asked, now, out);
        answered(asked, now, out);
    }

    @Override
    public void renewed(
            Tenure renewed, Renew.Renewed reply, Validity proven, HoldSpec spec, long now, Effect.Buffer out) {
        super.renewed(renewed, reply, proven, spec, now, out);
        endDoubt(renewed, proven);
        answered(renewed, now, out);
    }

    private void answered(Tenure current, long now, Effect.Buffer out) {
        if (current == tenure && current.held()) {
            isWanted(current, now, out);
            putOff();
        }
    }

    @Override
    public void renewalFailed(Tenure renewed, long now, Effect.Buffer out) {
        super.renewalFailed(renewed, now, out);
        putOff();
    }

    /** The next renewal of what is kept waits for an owner. */
    private void putOff() {
        Kept idle = kept;
        if (idle != null && idle.tenure.renewDue != Durations.NEVER) {
            kept = new Kept(idle.tenure, idle.since, idle.tenure.renewDue, idle.token);
            idle.tenure.renewDue = Durations.NEVER;
        }
    }

    @Override
    void end(Tenure current) {
        super.end(current);
        kept = null;
        doubtedAt = Durations.NEVER;
        wanted = false;
        taken = 0;
    }
}
