package io.holdfast;

import java.time.Duration;

/** Something that happened to a lock of this client, or to a permit of a semaphore. */
public sealed interface LockEvent {

    /** The name of the lock or semaphore; empty for an event of the whole client. */
    String lockName();

    /**
     * An owner acquired the lock, or permits.
     *
     * @param lockName the lock or semaphore
     * @param token the owner's fencing token
     * @param owner the thread or lease
     * @param handedOver whether it passed inside this process without a store call
     */
    record Granted(String lockName, long token, String owner, boolean handedOver) implements LockEvent {}

    /**
     * An owner ended its hold.
     *
     * @param lockName the lock or semaphore
     * @param token the owner's fencing token
     * @param owner the thread or lease
     */
    record Released(String lockName, long token, String owner) implements LockEvent {}

    /**
     * A hold was lost while its owner had it. Raised at the latest when its validity ends.
     *
     * @param lockName the lock or semaphore
     * @param token the owner's fencing token
     * @param owner the thread or lease
     * @param reason why, for a person
     */
    record Lost(String lockName, long token, String owner, String reason) implements LockEvent {}

    /**
     * An owner ended without releasing: its thread died, or its lease was garbage collected. It is renewed no more.
     *
     * @param lockName the lock or semaphore
     * @param token the owner's fencing token
     * @param owner the thread or lease
     * @param acquiredAt the code that acquired it, or why that is not known; see {@link HoldfastBuilder#recordPlaces}
     */
    record Abandoned(String lockName, long token, String owner, String acquiredAt) implements LockEvent {}

    /**
     * A hold is older than {@code maxHold}.
     *
     * @param lockName the lock or semaphore
     * @param token the owner's fencing token
     * @param owner the thread or lease
     * @param held for how long
     * @param stack what the owning thread does now; for a lease where it was taken, if {@link HoldfastBuilder#recordPlaces} is set
     */
    record HeldTooLong(String lockName, long token, String owner, Duration held, String stack) implements LockEvent {}

    /**
     * A renewal is late by over a third of the lease.
     *
     * @param lockName the lock or semaphore
     * @param token the owner's fencing token
     * @param remaining how long the hold is valid for if no renewal succeeds
     * @param reason what the last one failed with
     */
    record RenewalLate(String lockName, long token, Duration remaining, String reason) implements LockEvent {}

    /**
     * A release got no answer in time and goes on in the background. {@link Lost} follows if the store then reports that it
     * did not have the hold any more.
     *
     * @param lockName the lock or semaphore
     * @param token the owner's fencing token
     * @param remaining until the store gives the name up by itself
     * @param reason what the last release failed with
     */
    record ReleaseUnconfirmed(String lockName, long token, Duration remaining, String reason) implements LockEvent {}
}
