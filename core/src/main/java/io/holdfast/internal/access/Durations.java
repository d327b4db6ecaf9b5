package io.holdfast.internal.access;

import java.time.Duration;
import java.util.Optional;

/** Checks of the durations that users pass, and their conversion to nanoseconds. */
public final class Durations {

    /** The number of nanoseconds that means no time limit, or a time that never comes. */
    public static final long NEVER = Long.MAX_VALUE;

    /** The shortest lease. */
    public static final Duration MIN_LEASE = Duration.ofMillis(100);
    /** The longest lease. */
    public static final Duration MAX_LEASE = Duration.ofDays(365);

    /** A third of the time after which a store drops a waiter. So a waiter survives two lost requests. */
    private static final Duration LONGEST_POLL = Duration.ofSeconds(20);

    private static final int LINGERS_IN_A_LEASE = 3;
    private static final Duration LONGEST = Duration.ofNanos(NEVER);

    private Durations() {}

    /**
     * Checks a lease, and returns it.
     *
     * @param what the name of the lease in the error text
     * @throws IllegalArgumentException if the lease is not positive or is out of range
     */
    public static Duration requireLease(String what, Duration lease) {
        if (lease.isNegative() || lease.isZero()) {
            throw new IllegalArgumentException(what + " " + lease + " is not positive: pass 100 ms to 365 days,"
                    + " or use the method without a lease, which renews the hold for as long as its owner lives");
        }
        return requireStorable(what, lease);
    }

    /**
     * Checks a time for which a store keeps a name, and returns it.
     *
     * @param what the name of the time in the error text
     * @throws IllegalArgumentException if a store cannot keep a name for that time
     */
    public static Duration requireStorable(String what, Duration time) {
        if (time.compareTo(MIN_LEASE) < 0 || time.compareTo(MAX_LEASE) > 0) {
            throw new IllegalArgumentException(what + " " + time + " is out of range: 100 ms to 365 days");
        }
        return time;
    }

    /**
     * Checks that a duration is above zero and at most 365 days, and returns it.
     *
     * @param what the name of the duration in the error text
     * @throws IllegalArgumentException if the duration is out of range
     */
    public static Duration requirePositive(String what, Duration value) {
        if (value.isNegative() || value.isZero() || value.compareTo(MAX_LEASE) > 0) {
            throw new IllegalArgumentException(what + " " + value + " is out of range: above zero, at most 365 days");
        }
        return value;
    }

    /**
     * Checks the poll interval, and returns it.
     *
     * @throws IllegalArgumentException if the interval is out of range
     */
    public static Duration requirePollInterval(Duration value) {
        if (requirePositive("pollInterval", value).compareTo(LONGEST_POLL) > 0) {
            throw new IllegalArgumentException("pollInterval " + value + " is out of range: above zero, at most 20 s,"
                    + " because a store forgets a waiter that has not asked for 60 s, and lets others go first");
        }
        return value;
    }

    /**
     * Checks that the linger is between zero and a third of the lease. If the lease is not known, only the general range is
     * checked.
     *
     * @param what the name of the linger in the error text
     * @throws IllegalArgumentException if the linger is out of range
     */
    public static void requireLinger(String what, Duration linger, Optional<Duration> lease) {
        if (linger.isNegative() || linger.compareTo(MAX_LEASE) > 0) {
            throw new IllegalArgumentException(
                    what + " " + linger + " is out of range: zero for none, at most a third of the lease");
        }
        lease.filter(value -> linger.multipliedBy(LINGERS_IN_A_LEASE).compareTo(value) > 0)
                .ifPresent(value -> {
                    throw new IllegalArgumentException(what + " " + linger + " is longer than a third of the lease "
                            + value + ": at most " + value.dividedBy(LINGERS_IN_A_LEASE));
                });
    }

    /** Checks that there is no linger. It is for locks whose waiters always come first. */
    public static void requireNoLinger(String what, Duration linger) {
        if (!linger.isZero()) {
            throw new IllegalArgumentException(what + ": linger " + linger
                    + " is for lock(name) only, because here waiters always come first; remove it");
        }
    }

    /**
     * Returns the duration in nanoseconds. It is {@link #NEVER} for a duration that does not fit, and -1 for a negative one.
     */
    public static long nanos(Duration value) {
        return value.compareTo(LONGEST) >= 0 ? NEVER : value.isNegative() ? -1 : value.toNanos();
    }
}
