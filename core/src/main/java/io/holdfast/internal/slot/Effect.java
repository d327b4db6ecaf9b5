package io.holdfast.internal.slot;

import io.holdfast.spi.Acquire.Queueing;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What a {@link Slot} wants done after an event, outside its mutex. */
public sealed interface Effect {

    /** Send an acquire, and take these places along. */
    record Ask(Tenure tenure, HoldSpec spec, Queueing queueing, List<Tenure> behind) implements Effect {}

    /** Release until it is certain that nothing is left. */
    record GiveUp(Settlement settlement) implements Effect {}

    /** The same for a hold whose owner has ended, after so many nanoseconds. */
    record GiveUpIn(Settlement settlement, Hold hold, long nanos) implements Effect {}

    /** Tell a waiter. */
    record Tell(Waiter waiter) implements Effect {}

    /** What another slot wants done. */
    record Elsewhere(Slot slot, Buffer wanted) implements Effect {}

    /** Renew now, for this lease. */
    record Renew(Tenure tenure, HoldSpec spec) implements Effect {}

    /** Have the tenure renewed when it is due, or given up when it was kept for long enough. */
    record Watch(Tenure tenure) implements Effect {}

    /** Ask again after so many nanoseconds, unless a later poll was set meanwhile. */
    record PollIn(Tenure tenure, long number, long nanos) implements Effect {}

    /** Find out whether signals arrive. */
    record ConfirmSignals() implements Effect {}

    /** An owner got the name. */
    record Granted(Hold hold, boolean handedOver) implements Effect {}

    /** An owner lost the name. */
    record Lost(Hold hold, String reason) implements Effect {}

    /** The close of the client has released what an owner holds. */
    record Released(Hold hold, Settlement settlement) implements Effect {}

    /** An owner ended without releasing. */
    record Abandoned(Hold hold) implements Effect {}

    /** The slot is empty, and never used again. */
    record Retired() implements Effect {}

    /** Collects effects; most events have none or one. */
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
