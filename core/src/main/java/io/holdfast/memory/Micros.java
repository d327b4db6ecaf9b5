package io.holdfast.memory;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;

/** Microseconds: the unit of the server's clock. */
final class Micros {

    private Micros() {}

    static long of(Duration duration) {
        return duration.toNanos() / 1_000;
    }

    static Duration toDuration(long micros) {
        return Duration.of(micros, ChronoUnit.MICROS);
    }

    static Instant toInstant(long micros) {
        return Instant.EPOCH.plus(micros, ChronoUnit.MICROS);
    }
}
