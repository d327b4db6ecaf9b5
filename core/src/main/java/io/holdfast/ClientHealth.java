package io.holdfast;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * Whether the store answers a client, and how long the holds of the client last if it does not.
 *
 * <p>A client that has nothing to ask does not notice an outage. Call {@link Holdfast#inspect} first to find out now.
 *
 * @param failingSince the time since which no call to the store was answered, by the wall clock; empty if the last call was
 *     answered, or if there was none
 * @param lateRenewals the number of holds whose renewal is late by more than a third of their lease
 * @param shortestLease the time until the first hold ends if the store does not answer again; empty if nothing is held
 */
public record ClientHealth(Optional<Instant> failingSince, int lateRenewals, Optional<Duration> shortestLease) {}
