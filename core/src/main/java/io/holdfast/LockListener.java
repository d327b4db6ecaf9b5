package io.holdfast;

/**
 * A listener for the events of the locks of one client.
 *
 * <p>It is called on one thread of the client, in the order of the events. A listener that blocks delays later events, but
 * never a lock. At most 1 000 events wait. Further events are dropped, counted in {@link Stats#eventsDropped}, and logged. An
 * exception of a listener is logged.
 */
@FunctionalInterface
public interface LockListener {

    /** Handles one event. */
    void onEvent(LockEvent event);
}
