package io.holdfast.embedded.redis;

import java.time.Duration;
import java.util.function.BooleanSupplier;

/**
 * A wait for another process, which can only be polled.
 *
 * <p>An interrupt does not end a wait early, because half a start or half a stop would leave a process behind. The interrupt
 * status is set again at the end.
 */
final class Poll {

    private static final long NAP_MILLIS = 5;

    private Poll() {}

    /** Polls until the condition is true. Returns {@code false} if that takes longer than the limit. */
    static boolean until(Duration limit, BooleanSupplier question) {
        long end = System.nanoTime() + limit.toNanos();
        boolean interrupted = false;
        try {
            while (!question.getAsBoolean()) {
                if (System.nanoTime() - end > 0) {
                    return false;
                }
                interrupted |= nap();
            }
            return true;
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private static boolean nap() {
        try {
            Thread.sleep(NAP_MILLIS);
            return false;
        } catch (InterruptedException e) {
            return true;
        }
    }
}
