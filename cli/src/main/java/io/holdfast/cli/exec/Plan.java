package io.holdfast.cli.exec;

import java.time.Duration;

/**
 * When what is due, in milliseconds before the lock ends.
 *
 * @param lead KILL, early enough that nothing of the command is left when the lock ends
 * @param warn TERM
 * @param grace from when on the lease has to be known to be renewed
 * @param tick how often to look whether it was
 */
record Plan(long lead, long warn, long grace, long tick) {

    private static final long LONGEST_TICK = 1_000;
    private static final long LONGEST_LEAD = 1_000;

    /** The first renewal is due with two thirds of the lease left, so that half of it is a sign of failure. */
    static Plan of(Duration lease, Duration grace) {
        long all = lease.toMillis();
        long asked = Math.min(grace.toMillis(), all / 10 * 9);
        return new Plan(
                Math.min(LONGEST_LEAD, 100 + all / 10),
                Math.min(asked, all / 2),
                asked,
                Math.min(LONGEST_TICK, all / 30));
    }

    /** What is left of the lease at least when the command begins. A lock that was handed over is valid for less, at first. */
    Duration atLeast() {
        return Duration.ofMillis(Math.max(grace, 2 * lead));
    }

    boolean asksEarly() {
        return grace > warn;
    }
}
