package io.holdfast.internal.lock;

import io.holdfast.internal.access.Settings;
import io.holdfast.internal.engine.Holds;
import io.holdfast.internal.engine.Inspector;
import io.holdfast.internal.engine.Observers;
import io.holdfast.internal.engine.Tasks;
import io.holdfast.internal.engine.Waits;
import io.holdfast.internal.slot.OwnHolds;
import io.holdfast.spi.Platform;

/** The parts of one client that the faces of its locks and semaphores use. */
public record ClientParts(
        Settings settings,
        String id,
        OwnHolds ownHolds,
        Holds holds,
        Waits waits,
        Inspector inspector,
        Tasks tasks,
        Observers observers) {

    /** Returns the platform, for time and parking. */
    Platform platform() {
        return settings.store().platform();
    }

    /** Returns the time for which a waiter tolerates an outage of the store, in nanoseconds. */
    long outage() {
        return settings.maxOutage().toNanos();
    }
}
