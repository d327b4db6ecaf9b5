package io.holdfast.spi;

import java.time.Duration;
import java.util.Set;

/**
 * What a store can do; the engine and the contract suite adapt to it. A store with a queue has signals, too. Without a queue
 * {@link Acquire#queueing} and {@link Release#yield} are never set, and another waiting client is always assumed.
 *
 * @param blocking whether its operations block the calling thread
 * @param signals whether it sends {@link Signal}s; without, the engine polls
 * @param queue whether it keeps a queue of waiting clients, so that {@link Release#yield} can assign
 * @param modes how names can be held; read/write locks want {@code READ}, {@code UPGRADE} and {@code WRITE}
 * @param minLease the shortest lease it can keep
 * @param maxNameBytes the longest name it can keep, in bytes of UTF-8
 * @param tokensSurviveDataLoss whether tokens go on rising after the store lost all its data
 */
public record Capabilities(
        boolean blocking,
        boolean signals,
        boolean queue,
        Set<Share.Mode> modes,
        Duration minLease,
        int maxNameBytes,
        boolean tokensSurviveDataLoss) {

    /** Copies the set. */
    public Capabilities {
        modes = Set.copyOf(modes);
    }
}
