package io.holdfast.internal.access;

import io.holdfast.DistributedLock;
import io.holdfast.spi.Platform;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * The internal view of a lock as a member of a multi-lock. It orders the lock among other members, and acquires several members
 * by one request.
 */
public interface BatchMember {

    /** Returns the location of the lock, which determines its order. */
    LockLocation location();

    /** Returns the platform of its client, for the time. */
    Platform platform();

    /**
     * Returns {@code true} if one request can acquire both locks, and no owner of this client is seen to hold or to request
     * either of them.
     */
    boolean goesWith(BatchMember next);

    /**
     * Requests one member, or several that go together by one request. Waits for the answer of the store, but not until a lock
     * is free. Either all members are acquired or none.
     *
     * <p>The interrupt status is preserved. An interrupt ends the wait only if the spec is interruptible.
     *
     * @param neighbours the requested members, of which this lock is the first
     */
    BatchOutcome askTogether(List<BatchMember> neighbours, MemberSpec spec);

    /**
     * Requests leases of the members like {@link #askTogether}, without blocking. Completing or canceling the future withdraws
     * the request.
     */
    CompletableFuture<BatchOutcome> askingTogether(List<BatchMember> neighbours, MemberSpec spec);

    /** Returns the locks as members. */
    static List<BatchMember> all(List<DistributedLock> locks) {
        return locks.stream().map(BatchMember::of).toList();
    }

    /**
     * Returns the lock as a member.
     *
     * @throws IllegalArgumentException if the lock is not one of a Holdfast client
     */
    static BatchMember of(DistributedLock lock) {
        if (lock instanceof BatchMember member) {
            return member;
        }
        throw new IllegalArgumentException(
                "lock '" + lock.name() + "' is a " + lock.getClass().getName()
                        + ", whose store is not known: a multi-lock takes only locks of a Holdfast client");
    }
}
