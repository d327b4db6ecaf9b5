package io.holdfast.internal.slot;

import io.holdfast.spi.Signal;
import org.jspecify.annotations.Nullable;

/**
 * A request in flight, and the signals that arrived while it was. They are applied after its reply, because the reply may
 * answer a question that they change. Guarded by the mutex of the slot.
 */
public final class InFlight {

    /** Whether it asks for a position in the queue. */
    boolean forPlace;

    boolean freed;
    Signal.@Nullable Assigned assigned;
}
