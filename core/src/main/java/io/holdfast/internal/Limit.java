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
record Limit(long nanos, OnMaxHold then) {

    static final Limit NONE = new Limit(Tenure.NEVER, OnMaxHold.WARN);

    static Limit of(Optional<Duration> maxHold, OnMaxHold then) {
        return new Limit(maxHold.map(Durations::nanos).orElse(Tenure.NEVER), then);
    }

    boolean reached(Hold hold, long now) {
        return nanos != Tenure.NEVER && now - hold.since >= nanos;
    }
}
