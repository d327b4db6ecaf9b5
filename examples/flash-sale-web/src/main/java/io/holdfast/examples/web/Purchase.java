package io.holdfast.examples.web;

import io.holdfast.FencedOutException;
import io.holdfast.examples.flashsale.ShareStore;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.springframework.stereotype.Component;

/** The purchase of one item: read the stock, check it, work, write stock and order. It contains no mutual exclusion. */
@Component
final class Purchase {

    private static final int WHOLE_STOCK = 0;
    private static final long NO_TOKEN = 0;

    private final Stock stock;
    private final ShopProperties shop;
    private final AtomicLong numbers = new AtomicLong();

    Purchase(Stock stock, ShopProperties shop) {
        this.stock = stock;
        this.shop = shop;
    }

    /** A write of stock and order. */
    @FunctionalInterface
    private interface Write {

        void write(Way way, long left, Entry order);
    }

    /** Sells one item of the whole stock; empty if none is left, otherwise the number of items that are left. */
    OptionalLong unguarded(Way way) throws InterruptedException {
        long items = stock.read(way, WHOLE_STOCK);
        return sell(way, items, WHOLE_STOCK, NO_TOKEN, stock::write);
    }

    /**
     * Sells one item of the whole stock, and passes a fencing token with read and write.
     *
     * @return empty if none is left, otherwise the number of items that are left
     * @throws FencedOutException if the stock has seen a higher token; nothing was sold
     */
    OptionalLong fenced(Way way, long token) throws InterruptedException {
        return fenced(way, WHOLE_STOCK, token);
    }

    /** Sells one item of a shelf like {@link #fenced(Way, long)}. */
    OptionalLong fenced(Way way, int shelf, long token) throws InterruptedException {
        long items = stock.readFenced(way, shelf, token);
        return sell(way, items, shelf, token, stock::writeFenced);
    }

    /**
     * Sells an item of the share of this instance, which is reserved for this purchase.
     *
     * @return {@code false} if the share no longer has this token; nothing was sold
     */
    boolean ofShare(Way way, long token) throws InterruptedException {
        Entry entry = noteRead(way, shop.instance(), token);
        work();
        String order = entry.as(Entry.Event.ORDER).toText();
        if (stock.shares(way).sell(shop.instance(), token, order) == ShareStore.REFUSED) {
            stock.note(way, entry.as(Entry.Event.REFUSED));
            return false;
        }
        return true;
    }

    private Entry noteRead(Way way, int shelf, long token) {
        Entry entry = new Entry(Entry.Event.READ, shop.instance(), numbers.incrementAndGet(), shelf, token);
        stock.note(way, entry);
        return entry;
    }

    private OptionalLong sell(Way way, long items, int shelf, long token, Write write) throws InterruptedException {
        if (items <= 0) {
            return OptionalLong.empty();
        }
        Entry entry = noteRead(way, shelf, token);
        work();
        try {
            write.write(way, items - 1, entry.as(Entry.Event.ORDER));
        } catch (FencedOutException e) {
            stock.note(way, entry.as(Entry.Event.REFUSED));
            throw e;
        }
        return OptionalLong.of(items - 1);
    }

    private void work() throws InterruptedException {
        TimeUnit.NANOSECONDS.sleep(shop.work().toNanos());
    }
}
