package io.holdfast.support.record;

import io.holdfast.spi.Signal;

/**
 * A signal to send after the record was written.
 *
 * @param to the client that receives it
 * @param signal the signal, which names the lock as the request did
 */
public record Notice(Party to, Signal signal) {

    /** Returns the signal with the name that its receiver uses for the lock. The receiver may have another key prefix. */
    public Signal named(String name) {
        if (signal instanceof Signal.Assigned assigned) {
            return new Signal.Assigned(
                    name,
                    assigned.tenure(),
                    assigned.mode(),
                    assigned.tokens(),
                    assigned.foreignWaiters(),
                    assigned.next(),
                    assigned.expiresMicros(),
                    assigned.run());
        } else if (signal instanceof Signal.Revoked revoked) {
            return new Signal.Revoked(name, revoked.tenure());
        } else if (signal instanceof Signal.Freed) {
            return new Signal.Freed(name);
        } else if (signal instanceof Signal.Wanted) {
            return new Signal.Wanted(name);
        } else if (signal instanceof Signal.Changed) {
            return new Signal.Changed(name);
        }
        throw new IllegalStateException("no decision sends " + signal);
    }
}
