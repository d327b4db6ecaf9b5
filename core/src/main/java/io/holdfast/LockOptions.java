package io.holdfast;

import io.holdfast.internal.Durations;
import java.time.Duration;
import java.util.Optional;

/**
 * What one lock does differently from its client's defaults.
 *
 * @param lease how long the store keeps a watchdog hold without renewal, 100 ms to 365 days; empty for the client's
 * @param maxHold after which a hold is reported with {@link LockEvent.HeldTooLong}; empty for the client's
 */
public record LockOptions(Optional<Duration> lease, Optional<Duration> maxHold) {

    private static final LockOptions DEFAULTS = new LockOptions(Optional.empty(), Optional.empty());

    /**
     * Checks the values.
     *
     * @throws IllegalArgumentException if one is out of range
     */
    public LockOptions {
        lease.ifPresent(value -> Durations.requireLease("lease", value));
        maxHold.ifPresent(value -> Durations.requirePositive("maxHold", value));
    }

    /** Nothing different. */
    public static LockOptions defaults() {
        return DEFAULTS;
    }

    /** The same, with this watchdog lease: 100 ms to 365 days. */
    public LockOptions withLease(Duration value) {
        return new LockOptions(Optional.of(value), maxHold);
    }

    /** The same, with this time after which a hold is reported. */
    public LockOptions withMaxHold(Duration value) {
        return new LockOptions(lease, Optional.of(value));
    }
}
