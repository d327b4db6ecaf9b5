package io.holdfast;

import java.util.List;

/**
 * The state of one semaphore, as the store knows it at one moment.
 *
 * @param name the name of the semaphore
 * @param permits the number of permits in all
 * @param holders the holders of permits, in no particular order
 * @param waiting the number of waiters
 */
public record SemaphoreReport(String name, int permits, List<PermitHolder> holders, int waiting) {

    /** Copies the list. */
    public SemaphoreReport {
        holders = List.copyOf(holders);
    }

    /** Returns the number of free permits. It is negative if more permits are held than the semaphore has. */
    public int free() {
        return permits - holders.stream().mapToInt(PermitHolder::count).sum();
    }
}
