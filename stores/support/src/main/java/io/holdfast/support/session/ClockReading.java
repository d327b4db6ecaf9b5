package io.holdfast.support.session;

import io.holdfast.spi.Platform;
import java.util.concurrent.TimeUnit;

/**
 * A reading of both clocks of this machine. {@code nanoTime} stands still while the machine is suspended, and the wall clock can
 * step.
 */
public record ClockReading(long nanos, long wallMillis) {

    /** Reads the clocks now. */
    public static ClockReading of(Platform platform) {
        return new ClockReading(platform.nanoTime(), platform.wallMillis());
    }

    private long wallNanos(ClockReading later) {
        return TimeUnit.MILLISECONDS.toNanos(later.wallMillis - wallMillis);
    }

    /** Returns the nanoseconds until a later reading, by the clock that has advanced further. */
    long until(ClockReading later) {
        return Math.max(later.nanos - nanos, wallNanos(later));
    }

    /** Returns the nanoseconds by which the clocks disagree about the time until a later reading. */
    long disagreement(ClockReading later) {
        return Math.abs(wallNanos(later) - (later.nanos - nanos));
    }
}
