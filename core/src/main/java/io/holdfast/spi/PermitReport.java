package io.holdfast.spi;

import io.holdfast.PermitHolder;
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

    /** How many are free; negative if more are held than there should be. */
    public int free() {
        return limit.orElse(0) - holders.stream().mapToInt(PermitHolder::count).sum();
    }
}
