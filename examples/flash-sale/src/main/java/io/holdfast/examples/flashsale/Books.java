package io.holdfast.examples.flashsale;

import io.lettuce.core.RedisClient;
import io.lettuce.core.api.sync.RedisCommands;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** The accounts of a flash sale in Redis, for the process that counts them. They do not depend on what the sellers believe. */
public final class Books implements AutoCloseable {

    /** The time after which Redis deletes a sale that was not closed. */
    static final Duration LIFE = Duration.ofMinutes(10);

    private final RedisClient client;
    private final RedisCommands<String, String> redis;
    private final Keys keys;

    private Books(RedisClient client, Keys keys) {
        this.client = client;
        this.redis = client.connect().sync();
        this.keys = keys;
    }

    /** Opens a sale with its stock, in the layout of the strategy. */
    public static Books open(String redisUri, String sale, long stock, StrategyKind strategy) {
        Books books = new Books(RedisClient.create(redisUri), new Keys(sale));
        int shelves = strategy.shelves();
        for (int i = 0; i < shelves; i++) {
            books.redis.set(books.keys.stock(i), Long.toString(stock / shelves + (i < stock % shelves ? 1 : 0)));
        }
        books.keepAlive();
        return books;
    }

    /** Extends the lifetime of the sale in Redis. */
    public void keepAlive() {
        for (String key : keys.kept()) {
            redis.expire(key, LIFE);
        }
    }

    /** Returns the number of orders. */
    public long orders() {
        return redis.xlen(keys.orders());
    }

    /** Returns the stock that is left, in all shelves and shares. */
    public long left() {
        long onShelves = IntStream.range(0, Keys.SHELVES)
                .mapToObj(shelf -> redis.get(keys.stock(shelf)))
                .flatMap(Stream::ofNullable)
                .mapToLong(Long::parseLong)
                .sum();
        return onShelves + new Shares(redis, keys).left();
    }

    /** Returns the server's time, in milliseconds, by the clock of {@link #orderMillis}. */
    public long nowMillis() {
        List<String> time = redis.time();
        return Long.parseLong(time.get(0)) * 1_000 + Long.parseLong(time.get(1)) / 1_000;
    }

    /** Returns the times of all orders by the server's clock, in ascending order. */
    public long[] orderMillis() {
        return orderEntries().mapToLong(Entries.Timed::millis).toArray();
    }

    /** Returns the times at which sellers were between check and write, as far back as the journal goes. */
    public Timeline timeline() {
        TimelineBuilder timeline = new TimelineBuilder();
        new Entries(redis, keys.journal()).stream().forEach(timeline::journal);
        orderEntries().forEach(timeline::order);
        return timeline.build();
    }

    private Stream<Entries.Timed> orderEntries() {
        return new Entries(redis, keys.orders()).stream();
    }

    /** Returns the duration of each purchase, as measured by its seller. */
    public long[] tookMicros() {
        return redis.lrange(keys.took(), 0, -1).stream()
                .mapToLong(Long::parseLong)
                .toArray();
    }

    /** Returns the number of setbacks of that kind. */
    public long count(Setback setback) {
        return new Setbacks(redis, keys).count(setback);
    }

    /** Deletes the sale from Redis. */
    @Override
    public void close() {
        redis.del(keys.kept());
        redis.del(keys.lock());
        client.shutdown();
    }
}
