package io.holdfast.internal.slot;

import io.holdfast.spi.TenureId;
import java.util.Optional;

/** The outcome of a wait. */
public sealed interface Outcome permits Hold, Outcome.Busy, Outcome.Failed {

    /**
     * The outcome of a waiter whose time is up: another owner holds the name.
     *
     * @param holder the holder, in the form of the store; empty if the store did not report it
     */
    record Busy(Optional<String> holder) implements Outcome {

        /** Returns {@code true} if the name may only be lingering. It is then free as soon as its client is notified of the attempt. */
        public boolean mayLinger() {
            return holder.filter(TenureId::lingers).isPresent();
        }
    }

    /**
     * Returns the hold if the name was acquired. If the wait ended by an error, throws that error with the stack of the calling
     * thread.
     */
    default Optional<Hold> hold() {
        if (this instanceof Failed failed) {
            failed.error().fillInStackTrace();
            throw failed.error();
        }
        return this instanceof Hold hold ? Optional.of(hold) : Optional.empty();
    }

    /** The outcome of a wait that ended with an error. */
    record Failed(RuntimeException error) implements Outcome {}
}
