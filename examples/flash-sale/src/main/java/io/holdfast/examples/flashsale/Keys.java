package io.holdfast.examples.flashsale;

import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Where a sale lives in Redis. */
record Keys(String sale) {

    /** How many shelves a stock may lie on. */
    static final int SHELVES = 8;

    /** The stock, if it is in one place. */
    String stock() {
        return stock(0);
    }

    /** The stock on one shelf. */
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

    /** To whom accidents have happened. */
    String accidents() {
        return key("accidents");
    }

    /** The lock of those strategies that make one of a key. */
    String lock() {
        return key("lock");
    }

    /** The shares of the processes: how much is left of each, and the token of its lease. */
    String shares() {
        return key("shares");
    }

    /** All but the lock, whose life is a matter of its strategy. */
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
