package io.holdfast.internal.slot;

import io.holdfast.spi.TenureId;
import java.util.Optional;

/** The outcome of a wait. */
public sealed interface Outcome permits Hold, Outcome.Busy, Outcome.Failed {

    /**
     * The outcome that another owner held the name for as long as the waiter had time.
     *
     * @param holder the holder, in the form in which the store keeps it; empty if the store did not report it
     */
    record Busy(Optional<String> holder) implements Outcome {

        /**
         * Returns {@code true} if the name may only be lingering at another client. It is then free as soon as that client has
         * heard of the attempt. A tenure of this client does not count, because this client knows its own tenures.
         */
        public boolean mayLingerElsewhere(String clientId) {
            return holder.filter(TenureId::lingers)
                    .filter(tenure -> !tenure.startsWith(clientId + ':'))
                    .isPresent();
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

    /** The outcome that the wait ended by an error. */
    record Failed(RuntimeException error) implements Outcome {}
}
