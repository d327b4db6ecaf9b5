package io.holdfast.recipes;

import io.holdfast.internal.access.Durations;
import io.holdfast.spi.Platform;
import java.time.Duration;

/**
 * The time limit of one call, which all of its waits share.
 *
 * @param platform the platform whose time counts
 * @param start the start of the wait, in {@code nanoTime}
 * @param nanos the length of the wait; zero or less for no waiting, {@link Durations#NEVER} for no time limit
 */
record Timeout(Platform platform, long start, long nanos) {

    /** Returns a time limit whose wait begins now. */
    static Timeout from(Platform platform, long nanos) {
        return new Timeout(platform, platform.nanoTime(), nanos);
    }

    /** Returns the time that is left; it is not positive if none is left. */
    Duration left() {
        return Duration.ofNanos(nanos == Durations.NEVER ? Durations.NEVER : nanos - waited());
    }

    /** Returns {@code true} if there was a time to wait, and it has passed. */
    boolean isOver() {
        return nanos > 0 && nanos != Durations.NEVER && waited() >= nanos;
    }

    /** Returns the time since the start, in milliseconds. */
    long waitedMillis() {
        return waited() / 1_000_000;
    }

    private long waited() {
        return platform.nanoTime() - start;
    }
}
