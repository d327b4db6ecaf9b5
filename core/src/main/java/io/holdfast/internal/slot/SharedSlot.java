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
 * A slot whose name many owners of this client hold at once, for reading. The first owner requests a tenure. The others join it
 * without a store call, and the last one releases it.
 *
 * <h2>Invariants, besides those of {@link BargingSlot}</h2>
 *
 * <ol>
 *   <li>While the tenure is held, the wait queue is empty. All waiters joined when it was granted.
 *   <li>The watchdog renews all owners. Readers with a lease of their own have a slot of their own.
 *   <li>An owner's token is one of the tenure's. It is higher than any token issued before it, and lower than any token issued
 *       after it.
 * </ol>
 *
 * <h2>How it works</h2>
 *
 * <p>A steady stream of readers could starve a writer. So once a foreign client has waited for a slice, the <em>door</em> is
 * closed. A newcomer then uses another slot, whose tenure queues behind the writer at the store, and this slot drains. The same
 * happens if too little of the lease is left to join.
 *
 * <h2>References</h2>
 *
 * <p>The door prevents the starvation of writers that the first readers-writers problem of Courtois, Heymans and Parnas (CACM
 * 1971) permits.
 */
public final class SharedSlot extends BargingSlot {

    private final Set<Hold> holds = ConcurrentHashMap.newKeySet();
    private final Map<Thread, Hold> byThread = new ConcurrentHashMap<>();

    SharedSlot(String name, SlotConfig config, Supplier<TenureId> ids) {
        super(name, Share.READ, config, ids);
    }

    // ---- owners

    @Override
    public @Nullable Hold owner() {
        var all = holds.iterator();
        return all.hasNext() ? all.next() : null;
    }

    @Override
    public List<Hold> holds() {
        return List.copyOf(holds);
    }

    @Override
    boolean owns(Hold hold) {
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
        return current.tokens.first();
    }

    // ---- arrival

    /**
     * Admits a waiter. While the tenure is held, the waiter joins it at once.
     *
     * @return {@code false} also if the door is closed, or if the tenure does not fit the waiter
     */
    @Override
    boolean admit(Waiter waiter, long now, Effect.Buffer out) {
        Tenure current = tenure;
        if (current == null || !current.held()) {
            return super.admit(waiter, now, out);
        }
        if (isClosed(current, now, out) || !fits(current, waiter, now)) {
            return false;
        }
        grant(waiter, now, true, out);
        if (!waiter.acquiresItself()) {
            out.add(new Effect.Notify(waiter));
        }
        return true;
    }

    /**
     * Returns {@code true} if the door is closed.
     *
     * <p>After a newcomer has joined, the tenure is renewed within a poll interval, because the reply reports foreign waiters.
     * If signals may not have arrived for a poll interval, the renewal is due at once. No foreign waiter is assumed in that
     * case, because that would close the door without a reason.
     */
    private boolean isClosed(Tenure current, long now, Effect.Buffer out) {
        if (!wouldBeNotified(now, out) && now - current.validity.sent() >= config.poll()) {
            renewBy(current, now, out);
        }
        return isSliceOver(current, now);
    }

    @Override
    boolean isHopeless() {
        Tenure current = tenure;
        return current != null && !current.inFlight();
    }

    @Override
    boolean isRequestedFor(Waiter waiter) {
        Tenure current = tenure;
        return current != null && !current.held() && (current.inFlight() || current.clockSample == null);
    }

    /** Returns the renewal spec with the longest lease of all owners. */
    @Override
    public HoldSpec renewalSpec(Tenure current, long now) {
        return holds.stream()
                .map(Hold::renewal)
                .max(Comparator.comparingLong(HoldSpec::nanos))
                .orElseGet(() -> super.renewalSpec(current, now));
    }

    @Override
    void handOverToHead(long now, Effect.Buffer out) {
        Tenure current = Objects.requireNonNull(tenure);
        List<Waiter> all = current.unexpired(now) ? queue.clear() : List.of();
        for (Waiter waiter : all) {
            grant(waiter, now, owner() != null, out);
            out.add(new Effect.Notify(waiter));
        }
        if (all.isEmpty()) {
            releaseTenure(current, false, out);
            requestForRemaining(now, out);
        }
    }

    // ---- release

    @Override
    void afterRelease(Hold hold, long now, Effect.Buffer out) {
        if (holds.isEmpty()) {
            hold.settlement = releaseTenure(hold.tenure, false, out);
        }
    }
}
