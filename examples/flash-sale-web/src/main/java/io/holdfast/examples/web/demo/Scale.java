package io.holdfast.examples.web.demo;

import java.time.Duration;

/**
 * The size of a sale.
 *
 * @param stock the number of items
 * @param buyers the number of concurrent buyers
 * @param requests the number of requests of all buyers
 * @param undisturbed the number of orders before the first accident
 * @param duringPause the number of requests during the first accident, so that items are left for the second one
 * @param warmUp the number of requests before the sale, for the JIT compilers
 */
record Scale(int stock, int buyers, int requests, int undisturbed, int duringPause, int warmUp) {

    /** The lease of the locks, and the expiry of lock keys. */
    static final Duration LEASE = Duration.ofSeconds(2);

    /** The pause of the paused instance. */
    static final Duration PAUSE = LEASE.multipliedBy(3).dividedBy(2);

    /** The time between reading the stock and writing it. */
    static final Duration WORK = Duration.ofMillis(5);

    /** The size of the demo. */
    static final Scale DEMO = new Scale(500, 32, 1_000, 120, 120, 100);
}
