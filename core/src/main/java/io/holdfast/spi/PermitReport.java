package io.holdfast.spi;

import io.holdfast.PermitHolder;
import io.holdfast.SemaphoreReport;
import java.util.List;
import java.util.OptionalInt;

/**
 * The state of one semaphore at one moment, as the store knows it.
 *
 * @param limit the total number of permits; empty if it was never set, or was deleted
 * @param holders the holders of permits, in no particular order
 * @param waiting the number of positions in the queue
 */
public record PermitReport(OptionalInt limit, List<PermitHolder> holders, int waiting) {

    /** Copies the list. */
    public PermitReport {
        holders = List.copyOf(holders);
    }

    /** Returns this state as a report for users, with the given name of the semaphore. */
    public SemaphoreReport of(String name) {
        return new SemaphoreReport(name, limit.orElse(0), holders, waiting);
    }
}
