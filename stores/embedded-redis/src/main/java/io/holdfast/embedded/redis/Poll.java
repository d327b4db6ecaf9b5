package io.holdfast.embedded.redis;

import java.time.Duration;
import java.util.function.BooleanSupplier;

/**
 * Waiting for another process, which can only be asked again and again.
 *
 * <p>An interrupt does not cut a wait short, since half a start or half a stop leaves a process behind; the flag is set
 * again at the end.
 */
final class Poll {

    private static final long NAP_MILLIS = 5;

    private Poll() {}

    /** Asks until the answer is yes, and says whether it came within the limit. */
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
