package io.holdfast.spi;

/**
 * A block of fencing tokens of one tenure. The owners of the tenure use them in ascending order.
 *
 * @param first the lowest token
 * @param last the highest token, not below {@code first}
 */
public record TokenBlock(long first, long last) {

    /**
     * Checks the order.
     *
     * @throws IllegalArgumentException if the block is empty or not positive
     */
    public TokenBlock {
        if (first <= 0 || last < first) {
            throw new IllegalArgumentException("no token block: " + first + " to " + last);
        }
    }
}
