package io.holdfast;

/**
 * Counters of one client since its start, and gauges of this moment. Read without I/O; the values are not one snapshot.
 *
 * @param grants holds given to owners, without re-entries
 * @param handoffs grants that passed inside this process without a store call; part of {@code grants}
 * @param retaken grants of a name that nobody had and that was {@linkplain LockOptions#withLinger kept}; part of
 *     {@code handoffs}
 * @param releases holds ended by their owners
 * @param lost holds lost
 * @param storeCalls calls made to the store; a batch of renewals is one
 * @param storeFailures calls that failed or stayed unanswered
 * @param renewals leases renewed
 * @param signals messages received from the store
 * @param renewalLagMicros the longest time, in microseconds, that due renewals waited for their thread
 * @param eventsDropped events that found the listener queue full
 * @param held names held now
 * @param waiting owners waiting now
 * @param unsettled tenures being released in the background now
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
        int held,
        int waiting,
        int unsettled) {}
