package io.holdfast.internal.access;

import java.time.Duration;
import java.util.Optional;

/** The rules for times that users pass. */
public final class Durations {

    /** Nanoseconds: a time that never comes, a wait without end. */
    public static final long NEVER = Long.MAX_VALUE;

    /** The shortest lease. */
    public static final Duration MIN_LEASE = Duration.ofMillis(100);
    /** The longest lease. */
    public static final Duration MAX_LEASE = Duration.ofDays(365);

    /** A third of the time after which a store forgets a waiter, so that it survives two lost requests. */
    private static final Duration LONGEST_POLL = Duration.ofSeconds(20);

    private static final int LINGERS_IN_A_LEASE = 3;
    private static final Duration LONGEST = Duration.ofNanos(Long.MAX_VALUE);

    private Durations() {}

    /** Returns the lease, or throws; {@code what} says which. */
    public static Duration requireLease(String what, Duration lease) {
        if (lease.isNegative() || lease.isZero()) {
            throw new IllegalArgumentException(what + " " + lease + " is not positive: pass 100 ms to 365 days,"
                    + " or use the method without a lease, which renews the hold for as long as its owner lives");
        }
        return requireStorable(what, lease);
    }

    /** Returns the time, or throws if a store cannot keep a name for so long. */
    public static Duration requireStorable(String what, Duration time) {
        if (time.compareTo(MIN_LEASE) < 0 || time.compareTo(MAX_LEASE) > 0) {
            throw new IllegalArgumentException(what + " " + time + " is out of range: 100 ms to 365 days");
        }
        return time;
    }

    /** Returns the value, or throws. */
    public static Duration requirePositive(String what, Duration value) {
        if (value.isNegative() || value.isZero() || value.compareTo(MAX_LEASE) > 0) {
            throw new IllegalArgumentException(what + " " + value + " is out of range: above zero, at most 365 days");
        }
        return value;
    }

    /** Returns the poll interval, or throws. */
    public static Duration requirePollInterval(Duration value) {
        if (requirePositive("pollInterval", value).compareTo(LONGEST_POLL) > 0) {
            throw new IllegalArgumentException("pollInterval " + value + " is out of range: above zero, at most 20 s,"
                    + " because a store forgets a waiter that has not asked for 60 s, and serves others before it");
        }
        return value;
    }

    /** Throws if the linger is not from zero to a third of the lease, as far as that is known. */
    public static void requireLinger(String what, Duration linger, Optional<Duration> lease) {
        if (linger.isZero()) {
            return;
        }
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

    /** Nanoseconds; what does not fit is as good as for ever. */
    public static long nanos(Duration value) {
        return value.compareTo(LONGEST) >= 0 ? Long.MAX_VALUE : value.isNegative() ? -1 : value.toNanos();
    }
}
