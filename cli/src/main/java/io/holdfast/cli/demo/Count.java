package io.holdfast.cli.demo;

import io.holdfast.examples.flashsale.Timeline;

/**
 * The results in Redis after a sale.
 *
 * @param orders the number of orders
 * @param left the stock that is left
 * @param orderMillis the time of each order by the server's clock, in ascending order
 * @param tookMicros the durations of the purchases, in no particular order
 * @param lostHolds the holds that were lost, as their sellers noticed
 * @param fencedOff the purchases that Redis refused, because a later holder of the lock had come
 * @param timeline the times at which each seller was between check and write
 */
@SuppressWarnings("ArrayRecordComponent")
record Count(
        long orders,
        long left,
        long[] orderMillis,
        long[] tookMicros,
        long lostHolds,
        long fencedOff,
        Timeline timeline) {

    /** Returns the time of the last order; 0 if there is none. */
    long end() {
        return orderMillis.length == 0 ? 0 : orderMillis[orderMillis.length - 1];
    }

    /** Returns the longest time without an order, between the first order and the given moment. */
    long longestGap(long until) {
        long longest = 0;
        for (int i = 0; i < orderMillis.length; i++) {
            long next = i + 1 < orderMillis.length ? orderMillis[i + 1] : until;
            longest = Math.max(longest, next - orderMillis[i]);
        }
        return longest;
    }

    /**
     * Returns the orders per second among the first ones, up to that number. Returns 0 if they are too few or too fast to
     * measure.
     */
    double perSecond(int first) {
        int last = Math.min(first, orderMillis.length) - 1;
        long millis = last <= 0 ? 0 : orderMillis[last] - orderMillis[0];
        return millis <= 0 ? 0 : Math.round(last * 10_000.0 / millis) / 10.0;
    }
}
