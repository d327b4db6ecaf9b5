package io.holdfast.internal.slot;

import io.holdfast.spi.TenureId;
import java.util.Optional;

/** What came of waiting. */
public sealed interface Outcome permits Hold, Outcome.Busy, Outcome.Failed {

    /** Held by another for as long as the waiter had time; by whom, as the store keeps it, if it said so. */
    record Busy(Optional<String> holder) implements Outcome {

        /**
         * Whether it may be that nobody has it, and that it will be free as soon as its client has heard of the attempt. What
         * this client has itself it knows.
         */
        public boolean mayBeKeptBeside(String clientId) {
            return holder.filter(TenureId::lingers)
                    .filter(tenure -> !tenure.startsWith(clientId + ':'))
                    .isPresent();
        }
    }

    /** The hold, if it was got; throws the error, with the stack of the calling thread, if it ended by one. */
    default Optional<Hold> hold() {
        if (this instanceof Failed failed) {
            failed.error().fillInStackTrace();
            throw failed.error();
        }
        return this instanceof Hold got ? Optional.of(got) : Optional.empty();
    }

    /** Ended by an error. */
    record Failed(RuntimeException error) implements Outcome {}
}
