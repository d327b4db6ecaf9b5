package io.holdfast;

import java.time.Duration;

/**
 * A holder of permits of a semaphore, as the store knows it.
 *
 * @param id the id of the permit, which {@link Permit#id} returns to the holder, and {@link DistributedSemaphore#release}
 *     accepts
 * @param count the number of permits
 * @param client the client that holds the permits
 * @param remainingLease the time until the lease ends at the store, if nobody renews it
 */
public record PermitHolder(String id, int count, LockReport.Client client, Duration remainingLease) {}
