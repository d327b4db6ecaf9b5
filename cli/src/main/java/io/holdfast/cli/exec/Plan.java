package io.holdfast.cli.exec;

import java.time.Duration;

/**
 * The times at which actions are due, in milliseconds before the lock ends.
 *
 * @param lead the time of KILL, early enough that no process of the command is left when the lock ends
 * @param warn the time of TERM
 * @param grace the time from which on the lease has to be known to be renewed
 * @param tick the interval at which renewals are checked
 */
record Plan(long lead, long warn, long grace, long tick) {

    private static final long LONGEST_TICK = 1_000;

    /**
     * The shortest lead. On two busy processors, 999 of 1000 commands were gone after about half of it; docs/design.md has the
     * figures.
     */
    private static final long SHORTEST_LEAD = 1_000;

    private static final int LEAD_SHARE = 10;

    /**
     * The shortest lease. The first renewal is due when two thirds of the lease are left. One third is then for delays, and one
     * for the lead.
     */
    static final Duration SHORTEST_LEASE = Duration.ofMillis(3 * SHORTEST_LEAD);

    /**
     * Returns the plan for a lease. The first renewal is due when two thirds of the lease are left. If only half of it is left,
     * that is a sign of failure.
     */
    static Plan of(Duration lease, Duration grace) {
        long all = lease.toMillis();
        long lead = Math.max(SHORTEST_LEAD, all / LEAD_SHARE);
        return new Plan(
                lead,
                Math.min(lead + grace.toMillis(), all / 2),
                Math.min(grace.toMillis(), all / 10 * 9),
                Math.min(LONGEST_TICK, all / 30));
    }

    /** Returns the lease time that has to be left when the command begins. A lock that was handed over is valid for less. */
    Duration atLeast() {
        return Duration.ofMillis(Math.max(grace, 2 * lead));
    }

    boolean asksEarly() {
        return grace > warn;
    }
}
