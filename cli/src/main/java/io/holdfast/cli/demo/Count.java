package io.holdfast.cli.demo;

import io.holdfast.examples.flashsale.Timeline;

/**
 * What was found in Redis after a sale.
 *
 * @param orders how many there are
 * @param left what the stock says
 * @param orderMillis when each was written, by the server's clock, in order
 * @param tookMicros how long purchases took, in no order
 * @param timeline who was between check and write when
 */
@SuppressWarnings("ArrayRecordComponent")
record Count(long orders, long left, long[] orderMillis, long[] tookMicros, Timeline timeline) {

    /** The time of the last order; 0 if there is none. */
    long end() {
        return orderMillis.length == 0 ? 0 : orderMillis[orderMillis.length - 1];
    }

    /** The longest time without an order, between the first one and the given moment. */
    long longestGap(long until) {
        long longest = 0;
        for (int i = 0; i < orderMillis.length; i++) {
            long next = i + 1 < orderMillis.length ? orderMillis[i + 1] : until;
            longest = Math.max(longest, next - orderMillis[i]);
        }
        return longest;
    }

    /** Orders a second among the first ones, up to that many; 0 if they are too few or too quick to say. */
    double perSecond(int first) {
        int last = Math.min(first, orderMillis.length) - 1;
        long millis = last <= 0 ? 0 : orderMillis[last] - orderMillis[0];
        return millis <= 0 ? 0 : Math.round(last * 10_000.0 / millis) / 10.0;
    }
}
