package io.holdfast.cli.demo;

import io.holdfast.examples.flashsale.StrategyKind;
import java.time.Duration;

/**
 * The figures of one sale.
 *
 * @param strategy what kept the sellers apart
 * @param orders orders in Redis
 * @param left stock in Redis
 * @param oversold orders for items that were not there
 * @param lostUpdates orders that the stock does not show
 * @param killed processes that died between check and write, by their exit codes
 * @param stalledMillis the longest time without an order, by the server's clock
 * @param workMillis between check and write
 * @param perSecond orders a second, by the server's clock; without the stall where a process was killed
 * @param p50Micros half of the purchases took no longer
 * @param p99Micros 99 of 100 purchases took no longer
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
        long stalledMillis,
        double workMillis,
        double perSecond,
        long p50Micros,
        long p99Micros,
        boolean exact,
        boolean failed) {

    static Row of(StrategyKind strategy, long stock, Duration work, Count count, int killed, long until) {
        long orders = count.orders();
        long oversold = Math.max(0, orders - stock);
        long lostUpdates = orders - (stock - count.left());
        long stalled = count.longestGap(until);
        Percentiles took = new Percentiles(count.tookMicros());
        return new Row(
                strategy,
                orders,
                count.left(),
                oversold,
                lostUpdates,
                killed,
                stalled,
                work.toNanos() / 1e6,
                perSecond(orders, count.span(until) - (killed > 0 ? stalled : 0)),
                took.at(50),
                took.at(99),
                orders == stock && oversold == 0 && lostUpdates == 0,
                false);
    }

    private static double perSecond(long orders, long millis) {
        return millis <= 0 ? 0 : Math.round(orders * 10_000.0 / millis) / 10.0;
    }

    /** The same figures of a sale in which a worker ended as it should not. */
    Row withFailure() {
        return new Row(
                strategy,
                orders,
                left,
                oversold,
                lostUpdates,
                killed,
                stalledMillis,
                workMillis,
                perSecond,
                p50Micros,
                p99Micros,
                exact,
                true);
    }

    /** Whether no worker failed and the lock kept its promise; of other strategies nothing is expected. */
    boolean asExpected() {
        return !failed && (strategy != StrategyKind.LOCK || (exact && killed == 1));
    }
}
