package io.holdfast.examples.flashsale;

/** Where items are taken from: a number in Redis, and a way to write it. */
interface Shelf {

    /** How many items are there, as far as can be seen. */
    long stock();

    /**
     * Takes one item, and writes an order for it.
     *
     * @param stock what was read before
     * @return how many orders there are now, or {@link #REFUSED}
     */
    long sell(long stock);

    /** Nothing was taken and no order was written, since the shelf is not the seller's any more. */
    long REFUSED = -1;
}
