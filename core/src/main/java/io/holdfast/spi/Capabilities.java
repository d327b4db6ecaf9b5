package io.holdfast.spi;

import java.time.Duration;

/**
 * The capabilities of a store. The engine and the contract suite adapt to them.
 *
 * @param blocking {@code true} if its operations block the calling thread
 * @param signals the way in which it sends {@link Signal}s
 * @param minLease the shortest lease that it can keep
 * @param claimWindow the first lease of an assigned tenure, unless its own lease is shorter
 * @param fairPlaces the number of fair positions that one client can have under one name; {@link Integer#MAX_VALUE} if the
 *     store has no limit. The engine requests no more positions than that. The other waiters wait inside the client
 * @param renewalBatch the number of leases to renew by one call of {@link LockStore#renew}, unless the user sets another one
 * @param marksReleases {@code true} if each release leaves a mark, so that a repeated release knows whether the hold was
 *     {@linkplain Release.Reply#lost lost}
 */
public record Capabilities(
        boolean blocking,
        Signals signals,
        Duration minLease,
        Duration claimWindow,
        int fairPlaces,
        int renewalBatch,
        boolean marksReleases) {

    /** The ways in which a store sends {@link Signal}s. */
    public enum Signals {
        /**
         * It scans the records of the names for which a client waits, and sends a signal for each change. So a signal is late
         * by up to the time between two scans. Waiters wait as with {@link #PUSHED}. However, a holder learns only by its next
         * renewal that another client waits, or that its tenure was revoked. So the engine assumes a waiter while it hands a
         * tenure over locally, and no tenure lingers. A client cannot be asked to describe its hold.
         */
        LOOKED,
        /** It sends signals at once. */
        PUSHED
    }

    /**
     * Creates the capabilities of a store with a claim window of 1 s and any number of fair positions, which renews 100 leases
     * by one call, and does not mark releases.
     */
    public Capabilities(boolean blocking, Signals signals, Duration minLease) {
        this(blocking, signals, minLease, Duration.ofSeconds(1), Integer.MAX_VALUE, 100, false);
    }

    /** Returns a copy with the given way to send signals. */
    public Capabilities withSignals(Signals value) {
        return new Capabilities(blocking, value, minLease, claimWindow, fairPlaces, renewalBatch, marksReleases);
    }

    /** Returns a copy with the given claim window. */
    public Capabilities withClaimWindow(Duration value) {
        return new Capabilities(blocking, signals, minLease, value, fairPlaces, renewalBatch, marksReleases);
    }

    /** Returns a copy with the given number of fair positions of one client under one name. */
    public Capabilities withFairPlaces(int value) {
        return new Capabilities(blocking, signals, minLease, claimWindow, value, renewalBatch, marksReleases);
    }

    /** Returns a copy with the given number of leases to renew by one call. */
    public Capabilities withRenewalBatch(int value) {
        return new Capabilities(blocking, signals, minLease, claimWindow, fairPlaces, value, marksReleases);
    }

    /** Returns a copy for a store that marks releases. */
    public Capabilities withMarkedReleases() {
        return new Capabilities(blocking, signals, minLease, claimWindow, fairPlaces, renewalBatch, true);
    }
}
