package io.holdfast.examples.flashsale;

import io.lettuce.core.Limit;
import io.lettuce.core.Range;
import io.lettuce.core.RedisClient;
import io.lettuce.core.StreamMessage;
import io.lettuce.core.api.sync.RedisCommands;
import java.time.Duration;
import java.util.List;
import java.util.stream.LongStream;

/** The view of a sale of the one who counts it: what Redis has, whatever the sellers believe. */
public final class Books implements AutoCloseable {

    /** After which Redis forgets a sale whose books were never closed. */
    private static final Duration LIFE = Duration.ofMinutes(10);

    private static final int PAGE = 10_000;

    private final RedisClient client;
    private final RedisCommands<String, String> redis;
    private final Keys keys;

    private Books(RedisClient client, Keys keys) {
        this.client = client;
        this.redis = client.connect().sync();
        this.keys = keys;
    }

    /** Opens a sale with its stock. */
    public static Books open(String redisUri, String sale, long stock) {
        Books books = new Books(RedisClient.create(redisUri), new Keys(sale));
        books.redis.set(books.keys.stock(), Long.toString(stock));
        books.keepAlive();
        return books;
    }

    /** Lets Redis keep the sale for another while. */
    public void keepAlive() {
        for (String key : keys.all()) {
            redis.expire(key, LIFE);
        }
    }

    /** How many orders there are. */
    public long orders() {
        return redis.xlen(keys.orders());
    }

    /** What the stock says. */
    public long left() {
        String left = redis.get(keys.stock());
        return left == null ? 0 : Long.parseLong(left);
    }

    /** The server's time now, in milliseconds, of the same clock as {@link #orderMillis}. */
    public long nowMillis() {
        List<String> time = redis.time();
        return Long.parseLong(time.get(0)) * 1_000 + Long.parseLong(time.get(1)) / 1_000;
    }

    /** When each order was written, by the server's clock, in order. */
    public long[] orderMillis() {
        LongStream.Builder millis = LongStream.builder();
        Range<String> range = Range.unbounded();
        List<StreamMessage<String, String>> page;
        do {
            page = redis.xrange(keys.orders(), range, Limit.from(PAGE));
            page.forEach(order -> millis.add(millis(order.getId())));
            range = page.isEmpty() ? range : after(page.get(page.size() - 1).getId());
        } while (page.size() == PAGE);
        return millis.build().toArray();
    }

    private static long millis(String id) {
        return Long.parseLong(id.substring(0, id.indexOf('-')));
    }

    private static Range<String> after(String id) {
        return Range.from(Range.Boundary.excluding(id), Range.Boundary.unbounded());
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
        redis.del(keys.all());
        client.shutdown();
    }
}
