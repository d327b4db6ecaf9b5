package io.holdfast.examples.flashsale;

/** A source of items: a number in Redis, and a way to decrement it. */
interface Shelf {

    /**
     * Refuses all earlier holders of the shelf from now on, if the shelf has a fence.
     *
     * @return {@code false} if a later holder did so before
     */
    default boolean open() {
        return true;
    }

    /** Returns the number of items, as last seen. */
    long stock();

    /**
     * Sells one item, and writes an order for it.
     *
     * @param stock the stock as it was read before
     * @return the number of orders now, or {@link #REFUSED}
     */
    long sell(long stock);

    /** The result if nothing was sold, because the shelf no longer belongs to the seller. */
    long REFUSED = -1;
}
