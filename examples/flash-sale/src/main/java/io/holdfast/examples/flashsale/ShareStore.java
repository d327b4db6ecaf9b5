package io.holdfast.examples.flashsale;

import java.util.List;

/**
 * The shares of the processes of one sale: the items left in each share, and the fencing token of its lease.
 *
 * <p>Invariant: an item is in the stock, in a share, or in an order. Each method moves items from one to another, or does
 * nothing, in one step. So no item is lost or sold twice, wherever a process dies. A request with a token that is not the
 * share's moves nothing.
 */
public interface ShareStore {

    /** The result if nothing was moved, because the share has another token. */
    long REFUSED = Shelf.REFUSED;

    /** Sells one item of the share, writes the order, and returns the number of orders, or {@link #REFUSED}. */
    long sell(int process, long token, String order);

    /**
     * Moves an eighth of the stock to the share, or the given number if that is greater, but no more than is left.
     *
     * @return the number of moved items, or {@link #REFUSED}
     */
    long take(int process, long token, int atLeast);

    /** Returns the rest of the share to the stock, and gives the share this token. Has no effect with an older token. */
    long putBack(int process, long token);

    /** Returns {@code true} if all remaining items are in shares. */
    boolean stockIsEmpty();

    /** Returns the processes whose shares are not sold out. */
    List<Integer> unsold();
}
