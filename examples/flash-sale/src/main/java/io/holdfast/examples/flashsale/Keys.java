package io.holdfast.examples.flashsale;

import io.holdfast.redis.RedisFence;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * The keys of a flash sale in Redis. They are in one slot of a cluster.
 *
 * @param sale the name of the sale
 */
public record Keys(String sale) {

    /** The number of shelves over which a stock can be spread. */
    public static final int SHELVES = 8;

    /** The stock, if it is one number. */
    String stock() {
        return stock(0);
    }

    /** The stock of one shelf. */
    public String stock(int shelf) {
        return key("stock:" + shelf);
    }

    public String orders() {
        return key("orders");
    }

    String took() {
        return key("took");
    }

    public String journal() {
        return key("journal");
    }

    /** The accidents that have happened. */
    String accidents() {
        return key("accidents");
    }

    /** The numbers of setbacks. */
    String setbacks() {
        return key("setbacks");
    }

    /** The lock key of the strategies that use one. */
    public String lock() {
        return key("lock");
    }

    /** The shares: the stock that is left in each, and the token of its lease. */
    public String shares() {
        return key("shares");
    }

    /** All keys except the lock, whose lifetime depends on the strategy. */
    public String[] kept() {
        Stream<String> stocks = IntStream.range(0, SHELVES)
                .mapToObj(this::stock)
                .flatMap(stock -> Stream.of(stock, RedisFence.guardKey(stock)));
        return Stream.concat(stocks, Stream.of(orders(), took(), journal(), accidents(), setbacks(), shares()))
                .toArray(String[]::new);
    }

    private String key(String kind) {
        return "flash-sale:{" + sale + "}:" + kind;
    }
}
