package io.holdfast.internal.slot;

import io.holdfast.spi.Signal;
import org.jspecify.annotations.Nullable;

/**
 * A request in flight, and the signals that arrived meanwhile. They are applied after the reply, because the store may have
 * sent the reply before them. Guarded by the mutex of the slot.
 */
public final class InFlight {

    /** Set if it requests a position in the queue. */
    boolean forPlace;

    boolean freed;
    Signal.@Nullable Assigned assigned;
}
