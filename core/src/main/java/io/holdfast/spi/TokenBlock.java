package io.holdfast.spi;

/**
 * Fencing tokens that belong to one tenure, to be given to its owners one after the other.
 *
 * @param first the lowest
 * @param last the highest, not below {@code first}
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
