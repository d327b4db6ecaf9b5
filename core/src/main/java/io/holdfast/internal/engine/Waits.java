package io.holdfast.internal.engine;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.holdfast.internal.slot.Effect;
import io.holdfast.internal.slot.ErrorTexts;
import io.holdfast.internal.slot.Hold;
import io.holdfast.internal.slot.LingeringSlot;
import io.holdfast.internal.slot.Slot;
import io.holdfast.internal.slot.Waiter;
import io.holdfast.spi.Share;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The waiters of one client, which arrive, try to acquire, and are withdrawn.
 *
 * <p>No waiter outlives the close of the client. Either an arriving waiter sees the close under the slot's mutex, or the close
 * sees the waiter.
 */
public final class Waits {

    private final Engine engine;
    private final Duration minLease;

    Waits(Engine engine) {
        this.engine = engine;
        minLease = engine.store.capabilities().minLease();
    }

    /**
     * Checks that the store can keep a lease.
     *
     * @param what the name of the lease in the error text
     * @throws IllegalArgumentException if the lease is too short
     */
    public void requireLease(String what, Duration lease) {
        if (lease.compareTo(minLease) < 0) {
            throw new IllegalArgumentException(what + " of " + lease.toMillis() + " ms is too short for "
                    + engine.store.describe() + ": pass at least " + minLease.toMillis() + " ms");
        }
    }

    /** Returns the call site of the calling thread, or null if call sites are not recorded. */
    @Nullable
    public String callSite() {
        return engine.callSites.here();
    }

    /**
     * Adds a waiter to the slot of its name. The waiter is notified of its outcome.
     *
     * @throws IllegalArgumentException if the store cannot keep the lease that the waiter wants
     */
    public Slot arrive(String name, Waiter waiter) {
        if (waiter.spec.lease().compareTo(minLease) < 0) {
            requireLease(ErrorTexts.label(waiter.spec.share().mode(), name) + ": lease", waiter.spec.lease());
        }
        while (true) {
            Slot slot = engine.slots.get(name, waiter.spec, waiter.canWait());
            if (!(slot instanceof LingeringSlot)) {
                releaseLingering(name, slot);
            }
            Effect.Buffer out = new Effect.Buffer();
            try {
                if (slot.locked(() -> arrive(slot, waiter, out))) {
                    return slot;
                }
            } catch (Throwable e) {
                cancel(slot, waiter);
                throw e;
            } finally {
                engine.run(slot, out);
            }
            engine.slots.closeToNewcomers(slot);
        }
    }

    /**
     * Releases a lingering tenure of the name before this client asks in another mode. Otherwise our own idle tenure would
     * refuse the request, and the store would not notify this client.
     */
    private void releaseLingering(String name, Slot asking) {
        if (asking.share.mode() != Share.Mode.PERMITS) {
            engine.slots
                    .lingeringSlots(name)
                    .filter(slot -> slot != asking)
                    .forEach(slot -> engine.event(slot, Slot::stopLingering));
        }
    }

    /**
     * Adds the waiter, unless the client is closed. The close sets the flag first, and then visits each slot. So the close sees
     * every waiter that still saw the client open under the mutex.
     */
    private boolean arrive(Slot slot, Waiter waiter, Effect.Buffer out) {
        if (engine.tasks.isClosed()) {
            slot.retireIfEmpty(out);
            throw ErrorTexts.closed(slot.label(), engine.settings.name());
        }
        return slot.arrive(waiter, engine.platform.nanoTime(), out);
    }

    /** Lets a notified thread try to acquire the lock. */
    public void take(Slot slot, Waiter waiter) {
        engine.event(slot, (s, out) -> s.tryAcquire(waiter, engine.platform.nanoTime(), out));
    }

    /** Times out a waiter, unless an answer is still to come. */
    public void timeOut(Slot slot, Waiter waiter) {
        engine.event(slot, (s, out) -> s.timeOut(waiter, engine.platform.nanoTime(), out));
    }

    /**
     * Withdraws a waiter.
     *
     * @return {@code false} if it already has an outcome
     */
    @CanIgnoreReturnValue
    public boolean withdraw(Slot slot, Waiter waiter) {
        boolean[] withdrawn = {false};
        engine.event(slot, (s, out) -> withdrawn[0] = s.withdraw(waiter, engine.platform.nanoTime(), out));
        return withdrawn[0];
    }

    /** Withdraws a waiter whose thread failed, and releases the hold if it was already granted. */
    public void cancel(Slot slot, Waiter waiter) {
        withdraw(slot, waiter);
        if (waiter.outcome instanceof Hold hold) {
            engine.holds.releases().discard(hold);
        }
    }
}
