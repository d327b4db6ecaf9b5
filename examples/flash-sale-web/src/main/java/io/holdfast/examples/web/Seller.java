package io.holdfast.examples.web;

import java.util.OptionalLong;
import java.util.concurrent.TimeoutException;

/** A way to keep purchases apart. Safe for use by any thread. */
interface Seller {

    /** Returns the way that this seller sells. */
    Way way();

    /**
     * Sells one item.
     *
     * @return empty if everything is sold, otherwise the number of items that are left, as far as this seller knows
     * @throws TimeoutException if it was not this request's turn in time; nothing was sold
     * @throws io.holdfast.HoldfastException if the lock was not acquired, was lost, or the write was refused
     */
    OptionalLong sell() throws InterruptedException, TimeoutException;
}
