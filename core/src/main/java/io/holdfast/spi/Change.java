package io.holdfast.spi;

import java.time.Duration;
import java.util.Optional;

/**
 * A request to change what a store counts under a name; see {@link CounterStore#change}.
 *
 * @param kind what to do
 * @param name the semaphore or the latch; these are different names
 * @param id of the request, the same for all its copies, by which the store sees that it was applied before
 * @param amount how many permits or counts; 0 where none are needed
 * @param life how long a latch is kept from now on; empty for as long as it takes
 * @param notAfter the server time, in microseconds of {@link ServerClock}, after which the request must not be applied
 */
public record Change(Kind kind, String name, TenureId id, int amount, Optional<Duration> life, long notAfter) {

    /** What to do, and what {@link Done#applied} then says. */
    public enum Kind {
        /** Give a semaphore so many permits in all; not if it was given some before. */
        TRY_PERMITS,
        /** Let a semaphore have so many permits in all. */
        SET_PERMITS,
        /** Let it have so many more, or fewer; refused if it was given none before, or if none were left of them. */
        ADD_PERMITS,
        /** Forget a semaphore; not if somebody holds or awaits permits of it, or if it was given none. */
        DELETE_PERMITS,
        /** Set a latch to that count; not if it is set, also if it is open. */
        TRY_COUNT,
        /** Count a latch down, at most to zero, where it opens; not if it is not set. */
        COUNT_DOWN,
        /** Set a latch to that count, whatever it was. */
        RESET_COUNT,
        /** Forget a latch; not if it is not set. */
        DELETE_COUNT;

        /** Whether it is about a latch; else about a semaphore. */
        public boolean ofLatch() {
            return this == TRY_COUNT || this == COUNT_DOWN || this == RESET_COUNT || this == DELETE_COUNT;
        }
    }

    /** The same, to be refused later than this. */
    public Change withNotAfter(long value) {
        return new Change(kind, name, id, amount, life, value);
    }

    /** The answer. */
    public sealed interface Reply {

        /** The server's time at the decision, in microseconds. */
        long serverMicros();
    }

    /**
     * It was decided, by this copy or by an earlier one.
     *
     * @param applied whether anything was to be done; see {@link Kind}
     * @param serverMicros the server's time
     */
    public record Done(boolean applied, long serverMicros) implements Reply {}

    /**
     * The request came after its {@link Change#notAfter}; nothing was written. To be sent anew.
     *
     * @param serverMicros the server's time
     */
    public record Late(long serverMicros) implements Reply {}
}
