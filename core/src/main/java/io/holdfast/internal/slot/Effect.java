package io.holdfast.internal.slot;

import io.holdfast.spi.Acquire.Queueing;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A command or a report that a {@link Slot} returns after an event. The caller carries it out outside the mutex. */
public sealed interface Effect {

    /** A command to send an acquire, and to queue the positions behind it in the same call. */
    record Request(Tenure tenure, HoldSpec spec, Queueing queueing, List<Tenure> behind) implements Effect {}

    /** A command to release a tenure until it is certain that nothing of it is left at the store. */
    record Settle(Settlement settlement) implements Effect {}

    /** A command to release the tenure of a hold whose owner has ended, after the given number of nanoseconds. */
    record SettleIn(Settlement settlement, Hold hold, long nanos) implements Effect {}

    /** A command to notify a waiter. */
    record Notify(Waiter waiter) implements Effect {}

    /** A command to carry out the effects of another slot. */
    record InOtherSlot(Slot slot, Buffer effects) implements Effect {}

    /** A command to renew the tenure now, with the given spec. */
    record Renew(Tenure tenure, HoldSpec spec) implements Effect {}

    /** A command to watch the tenure: to renew it when it is due, or to give it up when it has lingered for long enough. */
    record Watch(Tenure tenure) implements Effect {}

    /** A command to ask again after the given number of nanoseconds, unless a later poll was scheduled in the meantime. */
    record PollIn(Tenure tenure, long number, long nanos) implements Effect {}

    /** A command to find out whether signals arrive. */
    record ConfirmSignals() implements Effect {}

    /** A report that an owner acquired the name. */
    record Granted(Hold hold, boolean handedOver) implements Effect {}

    /** A report that an owner lost the name. */
    record Lost(Hold hold, String reason) implements Effect {}

    /** A report that the close of the client has released the hold of an owner. */
    record Released(Hold hold, Settlement settlement) implements Effect {}

    /** A report that an owner ended without releasing. */
    record Abandoned(Hold hold) implements Effect {}

    /** A report that the slot is empty and is never used again. */
    record Retired() implements Effect {}

    /** A collector of effects. Most events have none or one. */
    final class Buffer {

        private @Nullable List<Effect> effects;

        void add(Effect effect) {
            if (effects == null) {
                effects = new ArrayList<>(3);
            }
            effects.add(effect);
        }

        public List<Effect> effects() {
            return effects == null ? List.of() : effects;
        }
    }
}
