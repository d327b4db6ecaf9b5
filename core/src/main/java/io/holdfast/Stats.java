package io.holdfast;

/**
 * Counters of one client since its start, and gauges of this moment. They are read without I/O, and are not one consistent
 * snapshot.
 *
 * @param grants holds granted to owners, without reentrant acquires
 * @param handoffs grants that were handed over inside this process without a store call; included in {@code grants}
 * @param retaken grants of a {@linkplain LockOptions#withLinger lingering} lock without a store call; included in
 *     {@code handoffs}
 * @param releases holds ended by their owners
 * @param lost holds lost
 * @param storeCalls calls made to the store; a batch of renewals counts once
 * @param storeFailures calls that failed or got no answer
 * @param renewals leases renewed
 * @param signals messages received from the store
 * @param renewalLagMicros the longest delay, in microseconds, between the time when a renewal was due and the time when the
 *     renewal thread sent it
 * @param eventsDropped events dropped because the listener queue was full
 * @param renewalFailures renewals of a lease that failed or got no answer
 * @param clockSteps the times when the watchdog found that the clocks of this machine had moved apart, for example because the
 *     wall clock was set or the machine was suspended. All holds are then verified
 * @param roundTripMicros the moving average of the time, in microseconds, until the store answered an acquire; zero before the
 *     first answer
 * @param held the number of distinct lock and semaphore names held now
 * @param waiting owners waiting now
 * @param unsettled releases that the store has not confirmed yet
 */
public record Stats(
        long grants,
        long handoffs,
        long retaken,
        long releases,
        long lost,
        long storeCalls,
        long storeFailures,
        long renewals,
        long signals,
        long renewalLagMicros,
        long eventsDropped,
        long renewalFailures,
        long clockSteps,
        long roundTripMicros,
        int held,
        int waiting,
        int unsettled) {}
