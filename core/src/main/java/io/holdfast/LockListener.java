package io.holdfast;

/**
 * Receives what happens to the locks of one client.
 *
 * <p>Called on one thread of the client's own, in the order of the events. A listener that blocks delays later events,
 * never a lock: at most 1 000 events wait; more are dropped, counted in {@link Stats#eventsDropped} and logged. What a
 * listener throws is logged.
 */
@FunctionalInterface
public interface LockListener {

    /** Handles one event. */
    void onEvent(LockEvent event);
}
