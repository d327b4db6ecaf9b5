package io.holdfast.internal.slot;

import io.holdfast.spi.Signal;
import org.jspecify.annotations.Nullable;

/**
 * A request in flight, and the signals that arrived while it was. They are applied after its reply, because the reply may
 * answer a question that they change. Guarded by the mutex of the slot.
 */
public final class InFlight {

    boolean freed;
    Signal.@Nullable Assigned assigned;

    /** Drops an assignment that was taken back. Its position is used up, so the tenure has to ask again. */
    void unassign() {
        freed |= assigned != null;
        assigned = null;
    }
}
