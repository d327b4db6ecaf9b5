package io.holdfast.internal;

import io.holdfast.OnMaxHold;
import java.time.Duration;
import java.util.Optional;

/**
 * How old a hold may get.
 *
 * @param nanos after how many nanoseconds it is reported; {@link Tenure#NEVER} for never
 * @param then what is done besides
 */
record MaxHold(long nanos, OnMaxHold then) {

    static final MaxHold NONE = new MaxHold(Tenure.NEVER, OnMaxHold.WARN);

    static MaxHold of(Optional<Duration> maxHold, OnMaxHold then) {
        return new MaxHold(maxHold.map(Durations::nanos).orElse(Tenure.NEVER), then);
    }

    boolean reached(Hold hold, long now) {
        return nanos != Tenure.NEVER && now - hold.since >= nanos;
    }
}
