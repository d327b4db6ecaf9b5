package io.holdfast.internal.engine;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.holdfast.internal.slot.Effect;
import io.holdfast.internal.slot.ErrorTexts;
import io.holdfast.internal.slot.Hold;
import io.holdfast.internal.slot.LingeringSlot;
import io.holdfast.internal.slot.Slot;
import io.holdfast.internal.slot.Waiter;
import io.holdfast.spi.Share;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The waits of one client: waiters come, try, and leave.
 *
 * <p>No waiter outlives the close of the client. A waiter that arrives sees the close under the slot's mutex, or the close sees
 * the waiter.
 */
public final class Waits {

    private final Engine engine;

    Waits(Engine engine) {
        this.engine = engine;
    }

    /** Returns the code that asks, for its waiter; null if places are not recorded. */
    @Nullable
    public String place() {
        return engine.callSites.here();
    }

    /** Adds a waiter to the slot of its name. The waiter is notified of its outcome. */
    public Slot arrive(String name, Waiter waiter) {
        return arrive(name, waiter, engine::run);
    }

    /**
     * Adds a waiter to the slot of its name. The waiter is notified of its outcome.
     *
     * @param doing carries out the effects of the slot
     */
    Slot arrive(String name, Waiter waiter, BiConsumer<Slot, Effect.Buffer> doing) {
        while (true) {
            Slot slot = engine.slots.get(name, waiter.spec, waiter.canWait());
            if (!(slot instanceof LingeringSlot)) {
                letGo(name, slot);
            }
            Effect.Buffer out = new Effect.Buffer();
            try {
                if (slot.locked(() -> arrive(slot, waiter, out))) {
                    return slot;
                }
            } catch (Throwable e) {
                forsake(slot, waiter);
                throw e;
            } finally {
                doing.accept(slot, out);
            }
            engine.slots.closeToNewcomers(slot);
        }
    }

    /**
     * Releases a lingering tenure of the name before this client asks in another mode. Otherwise our
     * own idle tenure would refuse the request, and the store would not notify this client.
     */
    private void letGo(String name, Slot asking) {
        if (asking.share.mode() != Share.Mode.PERMITS) {
            engine.slots
                    .lingeringSlots(name)
                    .filter(slot -> slot != asking)
                    .forEach(slot -> engine.event(slot, Slot::stopLingering));
        }
    }

    /**
     * Adds the waiter, unless the client is closed. The close sets the flag first, and then visits each slot. So the close sees
     * every waiter that sees the client open under the mutex.
     */
    private boolean arrive(Slot slot, Waiter waiter, Effect.Buffer out) {
        if (engine.tasks.isClosed()) {
            slot.retireIfEmpty(out);
            throw ErrorTexts.closed(slot.label(), engine.settings.name());
        }
        return slot.arrive(waiter, engine.platform.nanoTime(), out);
    }

    /** Lets a notified thread try to take the lock. */
    public void take(Slot slot, Waiter waiter) {
        engine.event(slot, (s, out) -> s.tryAcquire(waiter, engine.platform.nanoTime(), out));
    }

    /** Ends a waiter whose time is up, unless an answer is still to come. */
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

    /** Withdraws a waiter whose thread failed, and releases the hold that it may have been granted. */
    public void forsake(Slot slot, Waiter waiter) {
        withdraw(slot, waiter);
        if (waiter.outcome instanceof Hold hold) {
            engine.holds.releases().discard(hold);
        }
    }

    /** Returns {@code true} if one request can ask the store for both names. */
    public boolean goTogether(String name, String other) {
        return engine.store
                .together()
                .filter(store -> store.together(name, other))
                .isPresent();
    }

    /** Begins a request for several names. */
    public BatchCall batch() {
        return new BatchCall(engine, engine.store.together().orElseThrow());
    }
}
