package io.holdfast.support.record;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * The circumstances of a decision.
 *
 * @param now the time of the record in microseconds, which was read after the record
 * @param clock the time of the store's {@link io.holdfast.spi.ServerClock}, in which requests and replies state their times. It
 *     differs from the time of the record if the server has no clock
 * @param wall the wall clock in microseconds. It differs from the time of the record if the server has no clock
 * @param run the run of the server, as in {@link io.holdfast.spi.Signal.Assigned#run}
 * @param session the session of the client that asks; empty if the store has no sessions
 */
public record Moment(long now, long clock, long wall, long run, Optional<String> session) {

    /** Creates the circumstances at a store whose server has a clock. */
    public Moment(long now, long run, Optional<String> session) {
        this(now, now, now, run, session);
    }

    /** Returns the circumstances at a store without sessions. */
    public static Moment of(long now, long run) {
        return new Moment(now, run, Optional.empty());
    }

    /** Returns the time after a duration; {@link LockRecord#NEVER} if that is out of range. */
    long after(Duration duration) {
        return micros(duration) < LockRecord.NEVER - now ? now + micros(duration) : LockRecord.NEVER;
    }

    static long micros(Duration duration) {
        return TimeUnit.MICROSECONDS.convert(duration);
    }
}
