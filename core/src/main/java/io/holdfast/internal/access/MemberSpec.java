package io.holdfast.internal.access;

import java.time.Duration;
import java.util.Optional;

/**
 * The options of an acquire of a composite lock, which apply to each of its members.
 *
 * @param leased {@code true} to acquire a lease; {@code false} if the current thread is to be the holder
 * @param lease the time of the lease; empty for a lease that the watchdog renews
 * @param tries {@code true} if the result may be a refusal; {@code false} to fail with a timeout when the wait is over
 * @param interruptible {@code true} if an interrupt ends the request
 */
public record MemberSpec(boolean leased, Optional<Duration> lease, boolean tries, boolean interruptible) {

    public static final MemberSpec LOCKED = new MemberSpec(false, Optional.empty(), true, false);
    public static final MemberSpec LEASED = new MemberSpec(true, Optional.empty(), true, false);

    /** Returns a copy of this spec with the given lease. */
    public MemberSpec withLease(Duration value) {
        return new MemberSpec(leased, Optional.of(value), tries, interruptible);
    }

    /** Returns a copy of this spec for an acquire that fails with a timeout instead of a refusal. */
    public MemberSpec orTimeout() {
        return new MemberSpec(leased, lease, false, interruptible);
    }

    /** Returns a copy of this spec for an acquire whose result may be a refusal. */
    public MemberSpec trying() {
        return new MemberSpec(leased, lease, true, interruptible);
    }

    /** Returns a copy of this spec in which an interrupt ends the request. */
    public MemberSpec interruptibly() {
        return new MemberSpec(leased, lease, tries, true);
    }
}
