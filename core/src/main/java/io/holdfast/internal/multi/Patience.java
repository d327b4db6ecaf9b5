package io.holdfast.internal.multi;

import io.holdfast.spi.Platform;
import java.time.Duration;

/**
 * The one wait for all members.
 *
 * @param began when, in {@code nanoTime}
 * @param nanos for how long; zero or less for no waiting, {@link #ENDLESS} for ever
 */
record Patience(Platform platform, long began, long nanos) {

    static final long ENDLESS = Long.MAX_VALUE;

    static Patience from(Platform platform, long nanos) {
        return new Patience(platform, platform.nanoTime(), nanos);
    }

    Duration left() {
        return Duration.ofNanos(nanos == ENDLESS ? ENDLESS : nanos - waited());
    }

    /** Whether there was a wait, and it has passed. */
    boolean isOver() {
        return nanos > 0 && nanos != ENDLESS && waited() >= nanos;
    }

    /** Whether to try the next member, or all anew; the first member is asked for in any case. */
    boolean allows(int attempt, int taken) {
        return (attempt == 1 && taken == 0) || !isOver();
    }

    long waitedMillis() {
        return waited() / 1_000_000;
    }

    private long waited() {
        return platform.nanoTime() - began;
    }
}
