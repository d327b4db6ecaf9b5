package io.holdfast.internal.access;

import io.holdfast.DistributedLock;
import io.holdfast.spi.Platform;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * The internal view of a lock as a member of a multi-lock. It orders the lock among other members, and acquires one member or
 * several by one request.
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
     * Requests one member, or several that go together by one request. Either all members are acquired or none. Only a single
     * member is waited for until it is free.
     *
     * <p>If the spec is interruptible, an interrupt ends the wait for several members with {@link BatchOutcome.Unclear}, and
     * stays set.
     *
     * @param neighbours the requested members, of which this lock is the first
     * @param wait the maximum time to wait for a single member; zero or less means not to wait
     * @throws io.holdfast.LockTimeoutException if the spec is not content with a refusal, and the wait for a single member is
     *     over
     * @throws InterruptedException if the request for a single member is interrupted
     */
    BatchOutcome ask(List<BatchMember> neighbours, MemberSpec spec, Duration wait) throws InterruptedException;

    /**
     * Requests leases of the members like {@link #ask}, without blocking. Completing or canceling the future withdraws the
     * request.
     */
    CompletableFuture<BatchOutcome> asking(List<BatchMember> neighbours, MemberSpec spec, Duration wait);

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
