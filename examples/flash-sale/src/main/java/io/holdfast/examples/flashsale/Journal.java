package io.holdfast.examples.flashsale;

import io.lettuce.core.XAddArgs;
import io.lettuce.core.api.StatefulRedisConnection;

/**
 * What one seller tells Redis about its sales, so that they can be timed by the server's clock.
 *
 * <p>A beginning goes ahead of the seller's next command on the same connection, and nobody waits for the answer. After an
 * end there is none: the next command may be the release of a lock on another connection, so Redis has the end first.
 */
final class Journal {

    /** Of the oldest entries Redis forgets what is more. */
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

    /** The next sale begins with what is sent after this. */
    void begin() {
        number++;
        var unused = connection.async().xadd(key, kept(), entry(Entry.BEGIN).toFields());
    }

    /** The sale came to nothing. Returns when Redis knows: the next seller may begin at once. */
    void end() {
        write(Entry.END);
    }

    /** There are that many orders now. */
    void ordersAre(long count) {
        orders = count;
    }

    /** How many orders there were after the seller's last sale. */
    long orders() {
        return orders;
    }

    private void write(String what) {
        connection.sync().xadd(key, kept(), entry(what).toFields());
    }

    /** Whether this is the first seller to whom it happens. Returns when Redis knows: the process may end at once. */
    boolean claim(Accident accident) {
        boolean first = connection.sync().hsetnx(accidents, accident.name(), Integer.toString(seller.process()));
        if (first) {
            write(accident.name());
        }
        return first;
    }

    /** Names the current sale, for its order. */
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
