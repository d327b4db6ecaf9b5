package io.holdfast.support.session;

import io.holdfast.spi.Platform;

/**
 * The clock that a store uses whose servers have none: {@link Platform#nanoTime} in microseconds, from a positive start on.
 *
 * @param origin the {@code nanoTime} of the start
 * @param start the time at the start, in microseconds
 */
record LocalClock(long origin, long start) {

    static LocalClock of(Platform platform) {
        return new LocalClock(platform.nanoTime(), Math.max(platform.wallMillis() * 1_000, 1));
    }

    long micros(long nanos) {
        return start + (nanos - origin) / 1_000;
    }
}
