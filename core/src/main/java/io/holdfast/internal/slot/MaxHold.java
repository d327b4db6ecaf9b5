package io.holdfast.internal.slot;

import io.holdfast.OnMaxHold;
import io.holdfast.internal.access.Durations;
import java.time.Duration;
import java.util.Optional;

/**
 * How old a hold may get.
 *
 * @param nanos after how many nanoseconds it is reported; {@link Durations#NEVER} for never
 * @param then what is done besides
 */
public record MaxHold(long nanos, OnMaxHold then) {

    static final MaxHold NONE = new MaxHold(Durations.NEVER, OnMaxHold.WARN);

    public static MaxHold of(Optional<Duration> maxHold, OnMaxHold then) {
        return new MaxHold(maxHold.map(Durations::nanos).orElse(Durations.NEVER), then);
    }

    public boolean reached(Hold hold, long now) {
        return nanos != Durations.NEVER && now - hold.since >= nanos;
    }
}
