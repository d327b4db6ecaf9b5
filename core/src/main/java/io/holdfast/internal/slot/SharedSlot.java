package io.holdfast.internal.slot;

import io.holdfast.spi.Share;
import io.holdfast.spi.TenureId;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A name that many owners of this client hold at once, to read: the first asks for a tenure, all others join it without a
 * store call, and the last one to leave gives it up.
 *
 * <p>Readers that come one after the other could keep a writer off for ever. So once somebody has waited for a slice, the
 * <em>door</em> is closed: who comes then begins another slot, whose tenure queues behind the writer at the store, and this
 * one drains. The same is done when too little is left of the lease to join.
 *
 * <h2>Invariants, besides those of {@link BargingSlot}</h2>
 *
 * <ol>
 *   <li>Nobody waits here while the tenure is held: who waited when it was got has joined.
 *   <li>All owners are renewed by the watchdog. Readers with a lease of their own have a slot of their own.
 *   <li>An owner's token is one of the tenure's: higher than any given before it, lower than any given after it.
 * </ol>
 */
public final class SharedSlot extends BargingSlot {

    private final Set<Hold> holds = ConcurrentHashMap.newKeySet();
    private final Map<Thread, Hold> byThread = new ConcurrentHashMap<>();

    SharedSlot(String name, SlotConfig config, Supplier<TenureId> ids) {
        super(name, Share.READ, config, ids);
    }

    // ---- owners

    @Override
    @Nullable
    public Hold owner() {
        var all = holds.iterator();
        return all.hasNext() ? all.next() : null;
    }

    @Override
    public List<Hold> holds() {
        return List.copyOf(holds);
    }

    @Override
    public boolean owns(Hold hold) {
        return holds.contains(hold);
    }

    @Override
    @Nullable
    Hold holdOf(Thread thread) {
        Hold hold = byThread.get(thread);
        return hold != null ? hold : super.holdOf(thread);
    }

    @Override
    void own(Hold hold) {
        holds.add(hold);
        Thread thread = hold.thread();
        if (thread != null) {
            byThread.put(thread, hold);
        }
    }

    @Override
    void disown(Hold hold) {
        holds.remove(hold);
        Thread thread = hold.thread();
        if (thread != null) {
            byThread.remove(thread, hold);
        }
    }

    @Override
    long token(Tenure current) {
        return current.sharedToken();
    }

    // ---- coming

    /** Returns false if the door is closed, too. */
    @Override
    public boolean arrive(Waiter waiter, long now, Effect.Buffer out) {
        Tenure current = tenure;
        if (current == null || !current.held()) {
            return super.arrive(waiter, now, out);
        }
        if (isClosed(current, now, out) || !fits(current, waiter, now)) {
            return false;
        }
        grant(waiter, now, true, out);
        if (!waiter.canTake()) {
            out.add(new Effect.Tell(waiter));
        }
        return true;
    }

    /** Who joins has the tenure renewed within a poll interval, which tells who waits; at once, if nobody may have told. */
    private boolean isClosed(Tenure current, long now, Effect.Buffer out) {
        if (!wouldHear(now, out) && now - current.validity.sent() >= config.poll()) {
            renewBy(current, now, out);
        }
        return isSliceOver(current, now);
    }

    @Override
    boolean isHopeless() {
        Tenure current = tenure;
        return current != null && !current.inFlight;
    }

    @Override
    boolean isAsking(Waiter waiter) {
        Tenure current = tenure;
        return current != null && !current.held() && (current.inFlight || current.base == null);
    }

    /** Until all of them are content. */
    @Override
    public HoldSpec renewalSpec(Tenure current, long now) {
        return holds.stream()
                .map(Hold::renewal)
                .max(Comparator.comparingLong(HoldSpec::nanos))
                .orElseGet(() -> super.renewalSpec(current, now));
    }

    @Override
    void handOut(long now, Effect.Buffer out) {
        Tenure current = Objects.requireNonNull(tenure);
        List<Waiter> all = current.alive(now) ? queue.clear() : List.of();
        for (Waiter waiter : all) {
            grant(waiter, now, owner() != null, out);
            out.add(new Effect.Tell(waiter));
        }
        if (all.isEmpty()) {
            giveUp(current, false, out);
            askForTheRest(now, out);
        }
    }

    // ---- leaving

    @Override
    void passOn(Hold hold, long now, Effect.Buffer out) {
        if (holds.isEmpty()) {
            hold.settlement = giveUp(hold.tenure, false, out);
        }
    }

    @Override
    public void revoke(Hold hold, String reason, long now, Effect.Buffer out) {
        if (holds.size() > 1 && owns(hold)) {
            loseOwner(hold, reason, out);
        } else {
            super.revoke(hold, reason, now, out);
        }
    }
}
