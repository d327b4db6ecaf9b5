package io.holdfast.cli.demo;

import java.time.Duration;

/** The time for which a number has not changed. */
final class Standstill {

    private long seen = -1;
    private long since;

    Standstill(long now) {
        this.since = now;
    }

    boolean isLongerThan(Duration patience, long number, long now) {
        if (number != seen) {
            seen = number;
            since = now;
        }
        return now - since > patience.toNanos();
    }
}
