package io.holdfast.spi;

import io.holdfast.PermitHolder;
import io.holdfast.SemaphoreReport;
import java.util.List;
import java.util.OptionalInt;

/**
 * What a store knows about one semaphore at one moment.
 *
 * @param limit how many permits there are in all; empty if it was given none
 * @param holders who holds some, in no order
 * @param waiting how many places there are in the queue
 */
public record PermitReport(OptionalInt limit, List<PermitHolder> holders, int waiting) {

    /** Copies the list. */
    public PermitReport {
        holders = List.copyOf(holders);
    }

    /** The same for users, of the semaphore with that name. */
    public SemaphoreReport of(String name) {
        return new SemaphoreReport(name, limit.orElse(0), holders, waiting);
    }
}
