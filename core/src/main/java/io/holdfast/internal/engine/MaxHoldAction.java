package io.holdfast.internal.engine;

import io.holdfast.LockEvent;
import io.holdfast.OnMaxHold;
import io.holdfast.internal.slot.Hold;
import io.holdfast.internal.slot.Slot;
import java.time.Duration;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The action for a hold that is older than its {@code maxHold}. It runs once, on the timer's thread. */
record MaxHoldAction(Engine engine) {

    void run(Slot slot, Hold hold, long now) {
        if (hold.tooLongReported) {
            return;
        }
        hold.tooLongReported = true;
        boolean stops = hold.spec.maxHold().action() == OnMaxHold.STOP_RENEWING;
        try {
            engine.events.warn(
                    slot.share.mode(),
                    report(slot, hold, now),
                    stops
                            ? "it is no longer renewed, and is lost when its lease ends"
                            : "check whether the owner is stuck");
        } finally {
            // in any case: a stack that cannot be read, or a failing log, must not prevent the action
            if (stops) {
                engine.eventOnTimer(slot, (s, out) -> s.stopRenewing(hold, out));
            }
        }
    }

    private LockEvent report(Slot slot, Hold hold, long now) {
        Thread thread = hold.thread();
        String stack = thread == null
                ? engine.callSites
                        .of(hold)
                        .orElse("acquired at a call site that is not recorded, because recordPlaces is off")
                : Stream.of(engine.platform.stack(thread))
                        .map(frame -> "\n    at " + frame)
                        .collect(Collectors.joining());
        return new LockEvent.HeldTooLong(
                slot.name, hold.token, hold.owner(), Duration.ofNanos(now - hold.since), stack);
    }
}
