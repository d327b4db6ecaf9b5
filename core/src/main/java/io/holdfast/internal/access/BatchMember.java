package io.holdfast.internal.access;

import io.holdfast.DistributedLock;
import io.holdfast.spi.Platform;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * A lock as a member of a multi-lock. It determines the order of the members, and acquires one or several members by one
 * request.
 */
public interface BatchMember {

    /** Returns the location of the lock, which determines its order. */
    LockLocation location();

    /** Returns the platform of the lock's client, for the time. */
    Platform platform();

    /**
     * Returns {@code true} if one request can acquire both locks. At the time of this call, no owner of this client holds or
     * requests either of them.
     */
    boolean canBatchWith(BatchMember next);

    /**
     * Acquires one member, or several members by one request: all or none of them. If there are several, the request does not
     * wait for other owners.
     *
     * <p>If the spec is interruptible, an interrupt ends the wait for the answer for several members. The result is then
     * {@link BatchOutcome.Unclear}, and the interrupt status stays set.
     *
     * @param batch the requested members; this lock is the first
     * @param wait the maximum time to wait for a single member; zero or less means not to wait
     * @throws io.holdfast.LockTimeoutException if a single member was not acquired within the wait, and the spec does not
     *     {@linkplain MemberSpec#tries accept a refusal}
     * @throws InterruptedException if the wait for a single member is interrupted
     */
    BatchOutcome acquireAll(List<BatchMember> batch, MemberSpec how, Duration wait) throws InterruptedException;

    /**
     * Acquires leases of the members like {@link #acquireAll}, without blocking. Completing or canceling the future withdraws
     * the request.
     */
    CompletableFuture<BatchOutcome> acquireAllAsync(List<BatchMember> batch, MemberSpec how, Duration wait);

    /** Casts the locks to members. */
    static List<BatchMember> all(List<DistributedLock> locks) {
        return locks.stream().map(BatchMember::of).toList();
    }

    /**
     * Casts the lock to a member.
     *
     * @throws IllegalArgumentException if the lock does not belong to a Holdfast client
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
