package io.holdfast.memory;

import io.holdfast.spi.Share.Mode;
import io.holdfast.spi.TenureId;

/**
 * A place in the queue of a name.
 *
 * @param tenure who waits
 * @param arrival when it came, in microseconds; no two places of a server have the same
 * @param mode how it wants the name
 * @param fair whether it is served before all that came later, and by assigning the name
 * @param refreshed when it was last asked for
 * @param leaseMicros the lease it asked for
 * @param tokens how many tokens it asked for
 * @param permits how many permits of a semaphore; 0 for what is none
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

    /** How much before all others who reads and would write is put, as they would wait for it: below zero for a century. */
    static final long FRONT = 1L << 52;

    /** Whether it is of one who reads and would write. */
    boolean isUpgrade() {
        return arrival < 0;
    }

    /** When it came. */
    long since() {
        return isUpgrade() ? arrival + FRONT : arrival;
    }

    boolean isOf(String clientId) {
        return tenure.clientId().equals(clientId);
    }
}
