package io.holdfast.internal.access;

import io.holdfast.spi.Platform;
import java.time.Duration;

/**
 * The one wait for all members.
 *
 * @param began when, in {@code nanoTime}
 * @param nanos for how long; zero or less for no waiting, {@link Durations#NEVER} for ever
 */
public record Timeout(Platform platform, long began, long nanos) {

    /** A wait that begins now. */
    public static Timeout from(Platform platform, long nanos) {
        return new Timeout(platform, platform.nanoTime(), nanos);
    }

    /** How much of it is left; not positive if nothing is. */
    public Duration left() {
        return Duration.ofNanos(nanos == Durations.NEVER ? Durations.NEVER : nanos - waited());
    }

    /** Whether there was a wait, and it has passed. */
    public boolean isOver() {
        return nanos > 0 && nanos != Durations.NEVER && waited() >= nanos;
    }

    /** How long it has been. */
    public long waitedMillis() {
        return waited() / 1_000_000;
    }

    private long waited() {
        return platform.nanoTime() - began;
    }
}
