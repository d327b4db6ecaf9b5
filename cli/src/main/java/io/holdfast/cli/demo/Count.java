package io.holdfast.cli.demo;

/**
 * What was found in Redis after a sale.
 *
 * @param orders how many there are
 * @param left what the stock says
 * @param orderMillis when each was written, by the server's clock, in order
 * @param tookMicros how long purchases took, in no order
 */
@SuppressWarnings("ArrayRecordComponent")
record Count(long orders, long left, long[] orderMillis, long[] tookMicros) {

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

    /** From the first order to the given moment. */
    long span(long until) {
        return orderMillis.length == 0 ? 0 : until - orderMillis[0];
    }
}
