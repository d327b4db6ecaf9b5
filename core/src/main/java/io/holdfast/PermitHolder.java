package io.holdfast;

import java.time.Duration;

/**
 * Who holds permits of a semaphore, as the store knows it.
 *
 * @param id of the permit, as {@link Permit#id} says it to the holder, and {@link DistributedSemaphore#release} takes it
 * @param count how many permits it stands for
 * @param client the client that holds it
 * @param remainingLease until the store takes it back if nobody renews it
 */
public record PermitHolder(String id, int count, LockReport.Client client, Duration remainingLease) {}
