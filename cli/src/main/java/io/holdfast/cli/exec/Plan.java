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

    /** On two busy processors 999 of 1000 commands were gone after about half of it; docs/design.md has the figures. */
    private static final long SHORTEST_LEAD = 1_000;

    private static final int LEAD_SHARE = 10;

    /** The first renewal is due with two thirds of the lease left. One third is then for delays, and one for the lead. */
    static final Duration SHORTEST_LEASE = Duration.ofMillis(3 * SHORTEST_LEAD);

    /** The first renewal is due with two thirds of the lease left, so that half of it is a sign of failure. */
    static Plan of(Duration lease, Duration grace) {
        long all = lease.toMillis();
        long lead = Math.max(SHORTEST_LEAD, all / LEAD_SHARE);
        return new Plan(
                lead,
                Math.min(lead + grace.toMillis(), all / 2),
                Math.min(grace.toMillis(), all / 10 * 9),
                Math.min(LONGEST_TICK, all / 30));
    }

    /** The time that has to be left of the lease when the command begins. A lock that was handed over is valid for less. */
    Duration atLeast() {
        return Duration.ofMillis(Math.max(grace, 2 * lead));
    }

    boolean asksEarly() {
        return grace > warn;
    }
}
