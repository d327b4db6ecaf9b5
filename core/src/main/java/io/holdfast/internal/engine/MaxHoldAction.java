package io.holdfast.internal.engine;

import io.holdfast.LockEvent;
import io.holdfast.OnMaxHold;
import io.holdfast.internal.slot.Hold;
import io.holdfast.internal.slot.Slot;
import java.time.Duration;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The action for a hold that is older than its {@code maxHold}. It runs once, on the timer's thread. */
record MaxHoldAction(Engine engine) {

    private enum Action {
        NONE("check whether the owner is stuck"),
        INTERRUPT("its thread is interrupted: check whether that ends its work"),
        REVOKE("its lease is lost, and its owner is notified: check whether that ends its work"),
        STOP("it is no longer renewed, and is lost when its lease ends");

        private final String advice;

        Action(String advice) {
            this.advice = advice;
        }
    }

    void run(Slot slot, Hold hold, long now) {
        if (hold.tooLongReported) {
            return;
        }
        hold.tooLongReported = true;
        Thread thread = hold.thread();
        Action action = choose(hold.spec.maxHold().action(), thread);
        try {
            engine.events.warn(slot.share.mode(), report(slot, hold, thread, now), action.advice);
        } finally {
            // in any case: a stack that cannot be read, or a failing log, must not prevent the action
            if (action == Action.INTERRUPT && thread != null) {
                engine.threads.background().execute(() -> slot.locked(() -> interrupt(slot, hold, thread)));
            } else if (action == Action.REVOKE) {
                engine.eventOnTimer(slot, (s, out) -> s.revoke(hold, "it was held for longer than maxHold", now, out));
            } else if (action == Action.STOP) {
                engine.eventOnTimer(slot, (s, out) -> s.stopRenewing(hold, out));
            }
        }
    }

    private static Action choose(OnMaxHold then, @Nullable Thread thread) {
        return switch (then) {
            case WARN -> Action.NONE;
            case INTERRUPT -> thread != null ? Action.INTERRUPT : Action.REVOKE;
            case STOP_RENEWING -> Action.STOP;
        };
    }

    /**
     * Interrupts the thread if it still holds the lock. This runs under the slot's mutex, which an unlock needs as well. So the
     * interrupt never hits a thread that has unlocked.
     */
    private static boolean interrupt(Slot slot, Hold hold, Thread thread) {
        boolean owns = slot.owns(hold);
        if (owns) {
            thread.interrupt();
        }
        return owns;
    }

    private LockEvent report(Slot slot, Hold hold, @Nullable Thread thread, long now) {
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
