package io.holdfast.internal.access;

import io.holdfast.AsyncLock;
import io.holdfast.Lease;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * As what members that are asked for by one request are wanted.
 *
 * @param leased whether as leases; else for the current thread
 * @param lease for how long; empty to be renewed
 * @param tries whether it is an answer that others have one, when there is no time to wait
 * @param interruptible whether an interrupt gives up
 */
public record MemberSpec(boolean leased, Optional<Duration> lease, boolean tries, boolean interruptible) {

    public static final MemberSpec LOCKED = new MemberSpec(false, Optional.empty(), true, false);
    public static final MemberSpec LEASED = new MemberSpec(true, Optional.empty(), true, false);

    /** The same, for so long. */
    public MemberSpec lasting(Duration own) {
        return new MemberSpec(leased, Optional.of(own), tries, interruptible);
    }

    /** The same, but who holds a member is to be told by its own request. */
    public MemberSpec insisting() {
        return new MemberSpec(leased, lease, false, interruptible);
    }

    /** Asks for one member without waiting for it. */
    public CompletableFuture<Optional<Lease>> tryAcquire(AsyncLock member) {
        return lease.map(own -> member.tryAcquire(Duration.ZERO, own)).orElseGet(member::tryAcquire);
    }

    /** The same, but an interrupt gives up. */
    public MemberSpec interruptibly() {
        return new MemberSpec(leased, lease, tries, true);
    }
}
