package io.holdfast.internal.slot;

import io.holdfast.OnMaxHold;
import io.holdfast.internal.access.Durations;
import java.time.Duration;
import java.util.Optional;

/**
 * The maximum age of a hold, and the action that follows.
 *
 * @param nanos the age at which the hold is reported, in nanoseconds; {@link Durations#NEVER} for no maximum
 * @param action the action that follows the report
 */
public record MaxHold(long nanos, OnMaxHold action) {

    static final MaxHold NONE = new MaxHold(Durations.NEVER, OnMaxHold.WARN);

    public static MaxHold of(Optional<Duration> maxHold, OnMaxHold then) {
        return new MaxHold(maxHold.map(Durations::nanos).orElse(Durations.NEVER), then);
    }

    public boolean reached(Hold hold, long now) {
        return nanos != Durations.NEVER && now - hold.since >= nanos;
    }
}
