package io.holdfast.examples.web;

import io.holdfast.examples.flashsale.Keys;
import java.util.List;

/** The accounts of the sales in the store, for a process that sells nothing. They do not depend on what instances believe. */
public interface Books extends AutoCloseable {

    /**
     * An entry with the time of its write.
     *
     * @param millis the time in milliseconds, by the server's clock
     * @param entry the entry
     */
    record Timed(long millis, Entry entry) {}

    /** Opens a sale with its stock, in the layout of the way. Deletes the stock and the journal of the last one. */
    void open(Way way, long stock);

    /** Returns the stock that is left, on all shelves and in all shares. */
    long left(Way way);

    /** Returns the orders in the order of their writes. */
    List<Timed> orders(Way way);

    /** Returns all other entries in the order of their writes. */
    List<Timed> others(Way way);

    /** Returns the number of shelves of the way. */
    static int shelves(Way way) {
        return way == Way.SEGMENTED ? Keys.SHELVES : 1;
    }

    /** Returns the number of items on a shelf if the stock is spread evenly. */
    static long onShelf(Way way, int shelf, long stock) {
        int shelves = shelves(way);
        return stock / shelves + (shelf < stock % shelves ? 1 : 0);
    }

    @Override
    void close();
}
