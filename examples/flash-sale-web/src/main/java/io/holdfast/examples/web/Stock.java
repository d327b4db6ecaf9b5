package io.holdfast.examples.web;

import io.holdfast.examples.flashsale.ShareStore;
import java.time.Duration;

/** The stock of each way, its sales journal, and its lock key, in a store that all instances share. */
interface Stock {

    /** Returns the number of items on a shelf. */
    long read(Way way, int shelf);

    /**
     * Returns the number of items on a shelf, and refuses lower tokens from now on. A former holder of the lock cannot write
     * between this read and the write that follows it.
     *
     * @throws io.holdfast.FencedOutException if the shelf has seen a higher token
     */
    long readFenced(Way way, int shelf, long token);

    /** Writes the number of items that are left and an order, in one step, whatever has been written since the read. */
    void write(Way way, long left, Entry order);

    /**
     * Writes like {@link #write}, unless the shelf has seen a higher token than that of the order.
     *
     * @throws io.holdfast.FencedOutException if it has; nothing was written
     */
    void writeFenced(Way way, long left, Entry order);

    /** Writes an entry into the journal. */
    void note(Way way, Entry entry);

    /** Creates the lock key if it does not exist or has expired; {@code false} if it exists. */
    boolean takeKey(Way way, Duration expiry);

    /** Deletes the lock key, whoever has created it. */
    void freeKey(Way way);

    /** Returns the shares of the instances. */
    ShareStore shares(Way way);
}
