package io.holdfast.cli.demo;

import io.holdfast.examples.flashsale.Accident;
import io.holdfast.examples.flashsale.StrategyKind;
import io.holdfast.examples.flashsale.Timeline;

/**
 * The figures of one sale.
 *
 * @param strategy what kept the sellers apart
 * @param orders orders in Redis
 * @param left stock in Redis
 * @param oversold orders for items that were not there
 * @param lostUpdates orders that the stock does not show
 * @param killed processes that died between check and write, by their exit codes
 * @param slow sales that lasted longer than a lease, by accident
 * @param stalledMillis the longest time without an order, by the server's clock
 * @param overlapMillis the time with more than one seller between check and write, by the server's clock
 * @param workMillis between check and write
 * @param perSecond orders a second before the first accident, by the server's clock
 * @param p50Micros half of the purchases took no longer
 * @param p99Micros 99 of 100 purchases took no longer
 * @param p999Micros 999 of 1000 purchases took no longer
 * @param exact whether as many were sold as there were, and the stock says so
 * @param failed whether a worker ended as it should not
 */
record Row(
        StrategyKind strategy,
        long orders,
        long left,
        long oversold,
        long lostUpdates,
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
     * How a sale ended.
     *
     * @param killed processes that died between check and write
     * @param finished whether all workers ended by themselves
     * @param millis when, by the server's clock
     * @param failed whether a worker ended as it should not
     */
    record Ending(int killed, boolean finished, long millis, boolean failed) {}

    private static int slow(Timeline timeline) {
        return (int) timeline.mishaps().stream()
                .filter(mishap -> mishap.accident() == Accident.SLOW)
                .count();
    }

    /** Whether no worker failed and the strategy kept its promise; of those without one nothing is expected. */
    boolean asExpected() {
        return !failed && (!strategy.promisesExact() || (exact && killed == 1));
    }
}
