package io.holdfast.internal.access;

import java.time.Duration;
import java.util.Optional;

/**
 * The way in which a lock that is composed of members is to be acquired, and each of its members.
 *
 * @param leased whether a lease is acquired; otherwise the current thread is the holder
 * @param lease the lease; empty for one that the watchdog renews
 * @param tries whether a refusal because of another holder is a sufficient answer if there is no time to wait
 * @param interruptible whether an interrupt ends the request
 */
public record MemberSpec(boolean leased, Optional<Duration> lease, boolean tries, boolean interruptible) {

    public static final MemberSpec LOCKED = new MemberSpec(false, Optional.empty(), true, false);
    public static final MemberSpec LEASED = new MemberSpec(true, Optional.empty(), true, false);

    /** Returns a copy of this spec with the given lease. */
    public MemberSpec lasting(Duration own) {
        return new MemberSpec(leased, Optional.of(own), tries, interruptible);
    }

    /**
     * Returns a copy of this spec that needs a reason for a refusal: a request for the held member alone reports its holder.
     */
    public MemberSpec insisting() {
        return new MemberSpec(leased, lease, false, interruptible);
    }

    /** Returns a copy of this spec for which a refusal is a sufficient answer. */
    public MemberSpec trying() {
        return new MemberSpec(leased, lease, true, interruptible);
    }

    /** Returns a copy of this spec in which an interrupt ends the request. */
    public MemberSpec interruptibly() {
        return new MemberSpec(leased, lease, tries, true);
    }
}
