package io.holdfast.examples.flashsale;

/**
 * The time between check and write of one sale, by the server's clock in milliseconds.
 *
 * @param seller the seller
 * @param begin the time when the stock was read
 * @param end the time of the order, of the withdrawal, or of the death of its process; {@link #NEVER} if unknown
 */
public record Visit(Seller seller, long begin, long end) {

    /** The end of a visit without an end entry. */
    public static final long NEVER = Long.MAX_VALUE;

    Visit endingAt(long millis) {
        return new Visit(seller, begin, millis);
    }
}
