package io.holdfast.support.session;

import java.time.Duration;

/**
 * The time until which the servers certainly keep a session, as one answer has proven it.
 *
 * <ol>
 *   <li>The session lasts for its timeout from a sign of life on, which may have been an earlier request than the one that was
 *       answered.
 *   <li>If the clocks of this machine disagree about the time since then by more than the margin, the machine was suspended, or its
 *       wall clock was set. The session is <em>in doubt</em>, and nothing is certain until a request that was sent afterwards is
 *       answered. So the answer to a request that was sent before proves nothing.
 *   <li>The sign of life may be older than the suspend. So the time since then is that of the clock that has advanced further.
 * </ol>
 *
 * @param sign the clocks before the sign of life was sent
 * @param proof the clocks before the request was sent whose answer proves that the session lived
 */
public record SessionValidity(ClockReading sign, ClockReading proof, Duration timeout) {

    private static final long MARGIN_SHARE = 100;
    private static final long MARGIN_NANOS = 2_000_000;

    /** Returns the validity of a session that has just begun. */
    public static SessionValidity of(ClockReading began, Duration timeout) {
        return new SessionValidity(began, began, timeout);
    }

    /** Returns the nanoseconds by which clocks may disagree within a time. */
    static long margin(Duration time) {
        return time.toNanos() / MARGIN_SHARE + MARGIN_NANOS;
    }

    /**
     * Returns the time for which the session is certain; zero if it is in doubt.
     *
     * @param from the {@code nanoTime} from which it counts
     * @param now the clocks now
     */
    public Duration left(long from, ClockReading now) {
        long margin = margin(timeout);
        if (proof.disagreement(now) > margin) {
            return Duration.ZERO;
        }
        long end = proof.nanos() + timeout.toNanos() - sign.until(proof) - margin;
        return Duration.ofNanos(Math.max(0, end - from));
    }
}
