package io.holdfast.internal.multi;

import io.holdfast.spi.Platform;
import java.time.Duration;

/**
 * The one wait for all members.
 *
 * @param began when, in {@code nanoTime}
 * @param nanos for how long; zero or less for no waiting, {@link #ENDLESS} for ever
 */
public record Timeout(Platform platform, long began, long nanos) {

    /** For a wait that does not end. */
    public static final long ENDLESS = Long.MAX_VALUE;

    /** A wait that begins now. */
    public static Timeout from(Platform platform, long nanos) {
        return new Timeout(platform, platform.nanoTime(), nanos);
    }

    /** How much of it is left; not positive if nothing is. */
    public Duration left() {
        return Duration.ofNanos(nanos == ENDLESS ? ENDLESS : nanos - waited());
    }

    /** Whether there was a wait, and it has passed. */
    public boolean isOver() {
        return nanos > 0 && nanos != ENDLESS && waited() >= nanos;
    }

    /** How long it has been. */
    public long waitedMillis() {
        return waited() / 1_000_000;
    }

    private long waited() {
        return platform.nanoTime() - began;
    }
}
