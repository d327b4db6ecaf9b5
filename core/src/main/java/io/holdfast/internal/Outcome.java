package io.holdfast.internal;

import java.util.Optional;

/** What came of waiting. */
sealed interface Outcome permits Hold, Outcome.Busy, Outcome.Failed {

    /** Held by another for as long as the waiter had time; by whom, as the store keeps it, if it said so. */
    record Busy(Optional<String> holder) implements Outcome {}

    /** Ended by an error. */
    record Failed(RuntimeException error) implements Outcome {}
}
