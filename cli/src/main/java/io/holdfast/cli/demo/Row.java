package io.holdfast.cli.demo;

import io.holdfast.examples.flashsale.Accident;
import io.holdfast.examples.flashsale.StrategyKind;
import io.holdfast.examples.flashsale.Timeline;
import io.holdfast.examples.report.Percentiles;

/**
 * The figures of one flash sale.
 *
 * @param strategy the strategy that kept the sellers apart
 * @param orders the orders in Redis
 * @param left the stock in Redis
 * @param oversold the orders for items that were not there
 * @param lostUpdates the orders that the stock does not show
 * @param lostHolds the holds that were lost, as their sellers noticed
 * @param fencedOff the purchases that Redis refused, because a later holder of the lock had come
 * @param killed the number of processes that died between check and write, by their exit codes
 * @param slow the number of purchases that lasted longer than a lease, by accident
 * @param stalledMillis the longest time without an order, by the server's clock
 * @param overlapMillis the time with more than one seller between check and write, by the server's clock
 * @param workMillis the time between check and write
 * @param perSecond the orders per second before the first accident, by the server's clock
 * @param p50Micros the time that half of the purchases did not exceed
 * @param p99Micros the time that 99 of 100 purchases did not exceed
 * @param p999Micros the time that 999 of 1000 purchases did not exceed
 * @param exact true if the number of orders is the number of items, and the stock agrees
 * @param failed true if a worker ended abnormally
 */
record Row(
        StrategyKind strategy,
        long orders,
        long left,
        long oversold,
        long lostUpdates,
        long lostHolds,
        long fencedOff,
        int killed,
        int slow,
        long stalledMillis,
        long overlapMillis,
        double workMillis,
        double perSecond,
        long p50Micros,
        long p99Micros,
        long p999Micros,
        boolean exact,
        boolean failed) {

    static Row of(StrategyKind strategy, DemoOptions options, Count count, Ending ending) {
        long orders = count.orders();
        long oversold = Math.max(0, orders - options.stock());
        long lostUpdates = orders - (options.stock() - count.left());
        Percentiles took = new Percentiles(count.tookMicros());
        return new Row(
                strategy,
                orders,
                count.left(),
                oversold,
                lostUpdates,
                count.lostHolds(),
                count.fencedOff(),
                ending.killed(),
                slow(count.timeline()),
                count.longestGap(ending.finished() ? count.end() : ending.millis()),
                Overlaps.of(count.timeline().visits()).millis(),
                options.work().toNanos() / 1e6,
                count.perSecond(options.haltAfter()),
                took.at(50),
                took.at(99),
                took.at(99.9),
                orders == options.stock() && oversold == 0 && lostUpdates == 0,
                ending.failed());
    }

    /**
     * The end of a sale.
     *
     * @param killed the number of processes that died between check and write
     * @param finished true if all workers ended by themselves
     * @param millis the time of the end, by the server's clock
     * @param failed true if a worker ended abnormally
     */
    record Ending(int killed, boolean finished, long millis, boolean failed) {}

    private static int slow(Timeline timeline) {
        return (int) timeline.mishaps().stream()
                .filter(mishap -> mishap.accident() == Accident.SLOW)
                .count();
    }

    /**
     * Returns {@code true} if no worker failed and the strategy kept its promise. Strategies without a promise pass in any
     * case.
     */
    boolean asExpected() {
        return !failed && (!strategy.promisesExact() || (exact && killed == 1));
    }
}
