package io.holdfast;

import java.util.List;

/**
 * What the store knows about one semaphore at one moment.
 *
 * @param name the name of the semaphore
 * @param permits how many permits there are in all
 * @param holders who holds some, in no order
 * @param waiting how many acquirers wait for some
 */
public record SemaphoreReport(String name, int permits, List<PermitHolder> holders, int waiting) {

    /** Copies the list. */
    public SemaphoreReport {
        holders = List.copyOf(holders);
    }

    /** How many are free; negative if more are held than there should be. */
    public int free() {
        return permits - holders.stream().mapToInt(PermitHolder::count).sum();
    }
}
