package io.holdfast.internal.engine;

import io.holdfast.LockEvent;
import io.holdfast.LockEvent.Abandoned;
import io.holdfast.LockEvent.Granted;
import io.holdfast.LockEvent.HeldTooLong;
import io.holdfast.LockEvent.Lost;
import io.holdfast.LockEvent.ReleaseUnconfirmed;
import io.holdfast.LockEvent.Released;
import io.holdfast.LockEvent.RenewalLate;
import io.holdfast.internal.slot.ErrorTexts;
import io.holdfast.spi.Share;

/** The log lines for events: one sentence for each, without the final period. */
final class EventTexts {

    private EventTexts() {}

    /**
     * Returns the sentence for one event.
     *
     * @param mode the mode in which the name is held
     */
    static String of(Share.Mode mode, LockEvent event) {
        String permit = mode == Share.Mode.PERMITS ? "a permit of " : "";
        String lock = permit + ErrorTexts.label(mode, event.name());
        if (event instanceof Granted e) {
            return lock + " was acquired by " + e.owner() + " with token " + e.fencingToken()
                    + (e.handedOver() ? " by a handoff inside this process" : "");
        } else if (event instanceof Released e) {
            return lock + " was released by " + e.owner() + " with token " + e.fencingToken();
        } else if (event instanceof Lost e) {
            return lock + " was lost by " + e.owner() + " with token " + e.fencingToken() + ": " + e.reason();
        } else if (event instanceof Abandoned e) {
            return lock + " was abandoned by " + e.owner() + " with token " + e.fencingToken() + ", acquired at: "
                    + e.acquiredAt();
        } else if (event instanceof HeldTooLong e) {
            return lock + " has been held by " + e.owner() + " with token " + e.fencingToken() + " for "
                    + e.held().toMillis() + " ms, longer than maxHold: " + e.stack();
        } else if (event instanceof RenewalLate e) {
            return lock + " with token " + e.fencingToken() + " was not renewed in time and stays valid for "
                    + e.remainingLease().toMillis() + " ms: " + e.reason();
        } else if (event instanceof ReleaseUnconfirmed e) {
            return lock + " with token " + e.fencingToken() + " was released without confirmation and expires within "
                    + e.remainingLease().toMillis() + " ms: " + e.reason();
        }
        return event.toString();
    }

    /** Returns the summary of what happened to several locks, or permits. */
    static String ofMany(Share.Mode mode, LockEvent event) {
        String locks = ErrorTexts.held(mode) + "s";
        if (event instanceof Lost) {
            return locks + " were lost";
        } else if (event instanceof Abandoned) {
            return locks + " were abandoned by their owners";
        } else if (event instanceof HeldTooLong) {
            return locks + " have been held for longer than maxHold";
        } else if (event instanceof RenewalLate) {
            return locks + " were not renewed in time";
        } else if (event instanceof ReleaseUnconfirmed) {
            return locks + " were released without confirmation";
        }
        return "events of the kind " + event.getClass().getSimpleName();
    }
}
