package io.holdfast.testkit.crowd;

import java.time.Duration;

/**
 * How large a {@link Crowd} is, and what its processes do.
 *
 * @param member the main class of the processes
 * @param lease the lease of their locks
 * @param processes the number of processes
 * @param threads the number of threads of each process that contend
 */
public record CrowdPlan(Class<?> member, Duration lease, int processes, int threads) {

    /** A crowd of clients of Holdfast. */
    public static CrowdPlan ofHoldfast(Duration lease, int processes, int threads) {
        return new CrowdPlan(CrowdMember.class, lease, processes, threads);
    }
}
