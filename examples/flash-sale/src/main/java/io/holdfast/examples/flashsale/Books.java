package io.holdfast.examples.flashsale;

import io.lettuce.core.RedisClient;
import io.lettuce.core.api.sync.RedisCommands;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** The view of a sale of the one who counts it: what Redis has, whatever the sellers believe. */
public final class Books implements AutoCloseable {

    /** After which Redis forgets a sale whose books were never closed. */
    private static final Duration LIFE = Duration.ofMinutes(10);

    private final RedisClient client;
    private final RedisCommands<String, String> redis;
    private final Keys keys;

    private Books(RedisClient client, Keys keys) {
        this.client = client;
        this.redis = client.connect().sync();
        this.keys = keys;
    }

    /** Opens a sale with its stock, laid out as the strategy wants it. */
    public static Books open(String redisUri, String sale, long stock, StrategyKind strategy) {
        Books books = new Books(RedisClient.create(redisUri), new Keys(sale));
        int shelves = strategy.shelves();
        for (int i = 0; i < shelves; i++) {
            books.redis.set(books.keys.stock(i), Long.toString(stock / shelves + (i < stock % shelves ? 1 : 0)));
        }
        books.keepAlive();
        return books;
    }

    /** Lets Redis keep the sale for another while. */
    public void keepAlive() {
        for (String key : keys.kept()) {
            redis.expire(key, LIFE);
        }
    }

    /** How many orders there are. */
    public long orders() {
        return redis.xlen(keys.orders());
    }

    /** What the stock says, with all shelves and shares. */
    public long left() {
        long onShelves = IntStream.range(0, Keys.SHELVES)
                .mapToObj(shelf -> redis.get(keys.stock(shelf)))
                .flatMap(Stream::ofNullable)
                .mapToLong(Long::parseLong)
                .sum();
        return onShelves + new Shares(redis, keys).left();
    }

    /** The server's time now, in milliseconds, of the same clock as {@link #orderMillis}. */
    public long nowMillis() {
        List<String> time = redis.time();
        return Long.parseLong(time.get(0)) * 1_000 + Long.parseLong(time.get(1)) / 1_000;
    }

    /** When each order was written, by the server's clock, in order. */
    public long[] orderMillis() {
        return orderEntries().mapToLong(Entries.Timed::millis).toArray();
    }

    /** Who was between check and write, as far back as the journal goes. */
    public Timeline timeline() {
        TimelineBuilder timeline = new TimelineBuilder();
        new Entries(redis, keys.journal()).stream().forEach(timeline::journal);
        orderEntries().forEach(timeline::order);
        return timeline.build();
    }

    private Stream<Entries.Timed> orderEntries() {
        return new Entries(redis, keys.orders()).stream();
    }

    /** How long each purchase took for its seller. */
    public long[] tookMicros() {
        return redis.lrange(keys.took(), 0, -1).stream()
                .mapToLong(Long::parseLong)
                .toArray();
    }

    /** Removes the sale from Redis. */
    @Override
    public void close() {
        redis.del(keys.kept());
        redis.del(keys.lock());
        client.shutdown();
    }
}
