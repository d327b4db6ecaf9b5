package io.holdfast.spi;

import static io.holdfast.spi.Names.quoted;

import java.time.Duration;
import java.util.Optional;

/**
 * A request to change a counter that a store keeps under a name; see {@link CounterStore#change}.
 *
 * @param kind the kind of change
 * @param name the name of the semaphore or the latch; the two kinds of names are independent
 * @param id the id of the request. All its copies have the same id, by which the store detects that one was applied before
 * @param amount the number of permits or counts; 0 if none is needed
 * @param life the time from now for which a latch is kept; empty for no limit
 * @param notAfter the server time, in microseconds of {@link ServerClock}, after which the request must not be applied
 */
public record Change(Kind kind, String name, TenureId id, int amount, Optional<Duration> life, long notAfter) {

    /** The kind of change, and the meaning of {@link Done#applied} for it. */
    public enum Kind {
        /**
         * Sets the total number of permits of a semaphore. Not applied if the semaphore already has a number of permits.
         */
        TRY_PERMITS,
        /** Sets the total number of permits of a semaphore, even if it already has one. */
        SET_PERMITS,
        /**
         * Adds permits to a semaphore, or removes some. Refused if the semaphore has no number of permits, or if none would be
         * left.
         */
        ADD_PERMITS,
        /** Deletes a semaphore. Not applied if permits are held or awaited, or if the semaphore has no number of permits. */
        DELETE_PERMITS,
        /** Sets a latch to the given count. Not applied if the latch is set. An open latch counts as set. */
        TRY_COUNT,
        /**
         * Decreases the count of a latch, but not below zero. At zero, the latch opens. Not applied if the latch is not set.
         */
        COUNT_DOWN,
        /** Sets a latch to the given count in any state. */
        RESET_COUNT,
        /** Deletes a latch. Not applied if the latch is not set. */
        DELETE_COUNT;

        /** Returns {@code true} for a change of a latch, and {@code false} for a change of a semaphore. */
        public boolean ofLatch() {
            return this == TRY_COUNT || this == COUNT_DOWN || this == RESET_COUNT || this == DELETE_COUNT;
        }
    }

    /**
     * Checks the amount.
     *
     * @throws IllegalArgumentException if it is not positive, and the change sets a number or counts down
     */
    public Change {
        if (amount < 1 && kind != Kind.ADD_PERMITS && kind != Kind.DELETE_PERMITS && kind != Kind.DELETE_COUNT) {
            throw new IllegalArgumentException(quoted(name) + ": " + kind + " needs a positive amount, not " + amount);
        }
    }

    /** Returns a copy of this request that is refused after the given server time. */
    public Change withNotAfter(long value) {
        return new Change(kind, name, id, amount, life, value);
    }

    /** The reply to a request. */
    public sealed interface Reply {

        /** Returns the server's time at the decision, in microseconds. */
        long serverMicros();
    }

    /**
     * A reply that reports the decision, by this copy of the request or by an earlier one.
     *
     * @param applied {@code true} if the change was applied; see {@link Kind}
     * @param serverMicros the server's time, in microseconds
     */
    public record Done(boolean applied, long serverMicros) implements Reply {}

    /**
     * A reply to a request that arrived after its {@link Change#notAfter}. Nothing was written, and the request has to be sent
     * again.
     *
     * @param serverMicros the server's time, in microseconds
     */
    public record Late(long serverMicros) implements Reply {}
}
