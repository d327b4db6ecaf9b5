package io.holdfast.cli.demo;

import java.time.Duration;

/** A detector of a number that has not changed for too long. */
final class Standstill {

    private final long patience;
    private long seen = -1;
    private long since;

    Standstill(Duration patience, long now) {
        this.patience = patience.toNanos();
        this.since = now;
    }

    boolean tooLong(long number, long now) {
        if (number != seen) {
            seen = number;
            since = now;
        }
        return now - since > patience;
    }
}
