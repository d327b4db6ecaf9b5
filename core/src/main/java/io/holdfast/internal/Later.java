package io.holdfast.internal;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.holdfast.spi.Platform;

/** Runs tasks that may call the store, after a delay: never on the timer's own thread, which fires deadlines. */
@FunctionalInterface
interface Later {

    @CanIgnoreReturnValue
    Platform.Task run(long delayNanos, Runnable task);
}
