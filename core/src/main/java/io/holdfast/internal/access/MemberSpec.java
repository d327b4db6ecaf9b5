package io.holdfast.internal.access;

import io.holdfast.AsyncLock;
import io.holdfast.Lease;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * The way in which the members of one batch request are to be held.
 *
 * @param leased whether the members are acquired as leases; otherwise the current thread holds them
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

    /** Tries to acquire one member, without waiting for it. */
    public CompletableFuture<Optional<Lease>> tryAcquire(AsyncLock<Lease> member) {
        return lease.map(own -> member.tryAcquire(Duration.ZERO, own)).orElseGet(member::tryAcquire);
    }

    /** Returns a copy of this spec in which an interrupt ends the request. */
    public MemberSpec interruptibly() {
        return new MemberSpec(leased, lease, tries, true);
    }
}
