package io.holdfast.examples.flashsale;

import java.util.stream.IntStream;
import java.util.stream.Stream;

/** The keys of a flash sale in Redis. */
record Keys(String sale) {

    /** The number of shelves over which a stock can be spread. */
    static final int SHELVES = 8;

    /** The stock, if it is one number. */
    String stock() {
        return stock(0);
    }

    /** The stock of one shelf. */
    String stock(int shelf) {
        return key("stock:" + shelf);
    }

    String orders() {
        return key("orders");
    }

    String took() {
        return key("took");
    }

    String journal() {
        return key("journal");
    }

    /** The accidents that have happened. */
    String accidents() {
        return key("accidents");
    }

    /** The lock key of the strategies that use one. */
    String lock() {
        return key("lock");
    }

    /** The shares: the stock that is left in each, and the token of its lease. */
    String shares() {
        return key("shares");
    }

    /** All keys except the lock, whose lifetime depends on the strategy. */
    String[] kept() {
        return Stream.concat(
                        IntStream.range(0, SHELVES).mapToObj(this::stock),
                        Stream.of(orders(), took(), journal(), accidents(), shares()))
                .toArray(String[]::new);
    }

    private String key(String kind) {
        return "flash-sale:{" + sale + "}:" + kind;
    }
}
