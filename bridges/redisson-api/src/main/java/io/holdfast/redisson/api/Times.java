package io.holdfast.redisson.api;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Conversions of the times that callers of Redisson pass. */
final class Times {

    /** The wait without a time limit. */
    static final Duration FOREVER = Duration.ofNanos(Long.MAX_VALUE);

    private Times() {}

    static Duration of(long time, TimeUnit unit) {
        return Duration.ofNanos(unit.toNanos(time));
    }

    /** Returns the fixed lease, or an empty result for zero or less, which means that the watchdog renews the hold. */
    static Optional<Duration> lease(long time, @Nullable TimeUnit unit) {
        if (time <= 0) {
            return Optional.empty();
        }
        if (unit == null) {
            throw new IllegalArgumentException("lease " + time + " has no unit");
        }
        return Optional.of(of(time, unit));
    }
}
