package io.holdfast.examples.flashsale;

import io.lettuce.core.XAddArgs;
import io.lettuce.core.api.StatefulRedisConnection;

/**
 * The journal that one seller writes to Redis, so that its purchases are timed by the server's clock.
 *
 * <p>A begin entry is sent ahead of the seller's next command on the same connection, without waiting for the reply. An end
 * entry is awaited, because the next command may release a lock on another connection, and Redis must have the end first.
 */
final class Journal {

    /** The number of entries that Redis keeps. */
    private static final long KEPT = 200_000;

    private final StatefulRedisConnection<String, String> connection;
    private final String key;
    private final String accidents;
    private final Seller seller;
    private long number;
    private long orders;

    Journal(StatefulRedisConnection<String, String> connection, Keys keys, Seller seller) {
        this.connection = connection;
        this.key = keys.journal();
        this.accidents = keys.accidents();
        this.seller = seller;
    }

    /** Begins a purchase: the next command belongs to it. */
    void begin() {
        number++;
        var unused = connection.async().xadd(key, kept(), entry(Entry.BEGIN).toFields());
    }

    /** Ends a purchase without an order. Returns when Redis has the entry, because the next seller may begin at once. */
    void end() {
        write(Entry.END);
    }

    /** Records the current number of orders. */
    void ordersAre(long count) {
        orders = count;
    }

    /** Returns the number of orders after the seller's last purchase. */
    long orders() {
        return orders;
    }

    private void write(String what) {
        connection.sync().xadd(key, kept(), entry(what).toFields());
    }

    /**
     * Returns {@code true} if this is the first seller to which the accident happens. Returns when Redis has the entry, because
     * the process may end at once.
     */
    boolean claim(Accident accident) {
        boolean first = connection.sync().hsetnx(accidents, accident.name(), Integer.toString(seller.process()));
        if (first) {
            write(accident.name());
        }
        return first;
    }

    /** Returns the id of the current purchase, for its order. */
    Entry sale() {
        return entry(Entry.ORDER);
    }

    private Entry entry(String what) {
        return new Entry(what, seller, number);
    }

    private static XAddArgs kept() {
        return XAddArgs.Builder.maxlen(KEPT).approximateTrimming();
    }
}
