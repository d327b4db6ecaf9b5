package io.holdfast.examples.flashsale;

/**
 * The time between check and write of one sale, by the server's clock in milliseconds.
 *
 * @param seller who sold
 * @param begin when the stock was read
 * @param end when the order was written, the seller gave up, or its process died; {@link #NEVER} if none of it is known
 */
public record Visit(Seller seller, long begin, long end) {

    /** The end of a visit that has none. */
    public static final long NEVER = Long.MAX_VALUE;

    Visit endingAt(long millis) {
        return new Visit(seller, begin, millis);
    }
}
