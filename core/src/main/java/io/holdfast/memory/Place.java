package io.holdfast.memory;

import io.holdfast.spi.Share.Mode;
import io.holdfast.spi.TenureId;

/**
 * A position in the queue of a name.
 *
 * @param tenure the tenure that waits
 * @param arrival the time of arrival, in microseconds; no two positions of a server have the same one
 * @param mode the requested mode
 * @param fair {@code true} if it is served before all later positions, and by assigning the name
 * @param refreshed the time of the last request for it
 * @param leaseMicros the requested lease, in microseconds
 * @param tokens the requested number of tokens
 * @param permits the requested number of permits of a semaphore; 0 for a name that is not a semaphore
 */
record Place(
        TenureId tenure,
        Mode mode,
        long arrival,
        boolean fair,
        long refreshed,
        long leaseMicros,
        long tokens,
        int permits) {

    /**
     * The time by which the arrival of an upgrade is moved to the front, because all others would wait for its reader. The
     * resulting arrivals are negative before the year 2112.
     */
    static final long FRONT = 1L << 52;

    /** Returns {@code true} if the position belongs to a reader that waits to write. */
    boolean isUpgrade() {
        return arrival < 0;
    }

    /** Returns the time of arrival. */
    long since() {
        return isUpgrade() ? arrival + FRONT : arrival;
    }

    boolean isOf(String clientId) {
        return tenure.clientId().equals(clientId);
    }
}
