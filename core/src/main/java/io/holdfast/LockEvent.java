package io.holdfast;

import java.time.Duration;

/** An event of a lock of this client, or of a permit of a semaphore. */
public sealed interface LockEvent {

    /** Returns the name of the lock or semaphore; empty for an event of the whole client. */
    String name();

    /**
     * Published when an owner acquired the lock or permits.
     *
     * @param name the name of the lock or semaphore
     * @param fencingToken the owner's fencing token
     * @param owner the thread or lease
     * @param handedOver {@code true} if the lock was handed over inside this process without a store call
     */
    record Granted(String name, long fencingToken, String owner, boolean handedOver) implements LockEvent {}

    /**
     * Published when an owner released its hold.
     *
     * @param name the name of the lock or semaphore
     * @param fencingToken the owner's fencing token
     * @param owner the thread or lease
     */
    record Released(String name, long fencingToken, String owner) implements LockEvent {}

    /**
     * Published when a hold was lost before its owner released it, at the latest when the validity of the hold ends.
     *
     * @param name the name of the lock or semaphore
     * @param fencingToken the owner's fencing token
     * @param owner the thread or lease
     * @param reason the cause of the loss, as human-readable text
     */
    record Lost(String name, long fencingToken, String owner, String reason) implements LockEvent {}

    /**
     * Published when an owner ended without releasing: its thread died, or its lease was garbage collected. The hold is no
     * longer renewed.
     *
     * @param name the name of the lock or semaphore
     * @param fencingToken the owner's fencing token
     * @param owner the thread or lease
     * @param acquiredAt the call site that acquired the hold, or the reason why it is not known; see
     *     {@link HoldfastBuilder#recordPlaces}
     */
    record Abandoned(String name, long fencingToken, String owner, String acquiredAt) implements LockEvent {}

    /**
     * Published when a hold is older than {@code maxHold}.
     *
     * @param name the name of the lock or semaphore
     * @param fencingToken the owner's fencing token
     * @param owner the thread or lease
     * @param held the age of the hold
     * @param stack the current stack of the owning thread; for a lease, the call site that acquired it, if
     *     {@link HoldfastBuilder#recordPlaces} is set
     */
    record HeldTooLong(String name, long fencingToken, String owner, Duration held, String stack)
            implements LockEvent {}

    /**
     * Published when a renewal is late by more than a third of the lease.
     *
     * @param name the name of the lock or semaphore
     * @param fencingToken the owner's fencing token
     * @param remainingLease the time for which the hold stays valid if no renewal succeeds
     * @param reason the failure of the last renewal
     */
    record RenewalLate(String name, long fencingToken, Duration remainingLease, String reason) implements LockEvent {}

    /**
     * Published when a release got no answer within the command timeout and continues in the background. {@link Lost} follows
     * if the store then reports that it no longer had the hold.
     *
     * @param name the name of the lock or semaphore
     * @param fencingToken the owner's fencing token
     * @param remainingLease the time until the lease ends at the store
     * @param reason the failure of the last release
     */
    record ReleaseUnconfirmed(String name, long fencingToken, Duration remainingLease, String reason)
            implements LockEvent {}
}
