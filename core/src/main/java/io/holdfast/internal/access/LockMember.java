package io.holdfast.internal.access;

import static io.holdfast.spi.Names.quoted;

import io.holdfast.DistributedLock;
import io.holdfast.Lease;
import io.holdfast.spi.Platform;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** A lock as a member of a multi-lock. */
public interface LockMember {

    /** Returns the location of the lock, which determines the order of the members. */
    LockLocation location();

    /** Returns the platform of the lock's client, for the time. */
    Platform platform();

    /**
     * Acquires the lock for the current thread.
     *
     * @param wait the maximum time to wait; zero or less means not to wait
     * @return whether the lock was acquired
     */
    boolean enter(MemberSpec how, Duration wait) throws InterruptedException;

    /**
     * Acquires a lease of the lock.
     *
     * @param wait the maximum time to wait; zero or less means not to wait
     * @return the lease; empty if another owner holds the lock
     * @throws io.holdfast.LockTimeoutException if another owner holds the lock, and the spec does not {@linkplain
     *     MemberSpec#tries accept a refusal}
     */
    Optional<Lease> lease(MemberSpec how, Duration wait) throws InterruptedException;

    /**
     * Acquires a lease of the lock like {@link #lease}, without blocking. Completing or canceling the future withdraws the
     * request. The future completes on a thread that may call the store. Users' code cannot delay it.
     */
    CompletableFuture<Optional<Lease>> leaseAsync(MemberSpec how, Duration wait);

    /**
     * Unlocks the lock like {@link DistributedLock#unlock}, but does not wait for the store.
     *
     * @return the rest of the unlock, which waits and reports a loss
     */
    Runnable startUnlock();

    /**
     * Casts the lock to a member.
     *
     * @throws IllegalArgumentException if the lock does not belong to a Holdfast client
     */
    static LockMember of(DistributedLock lock) {
        if (lock instanceof LockMember member) {
            return member;
        }
        throw new IllegalArgumentException(
                "lock " + quoted(lock.name()) + " is a " + lock.getClass().getName()
                        + ", whose store is not known: a multi-lock takes only locks of a Holdfast client");
    }
}
