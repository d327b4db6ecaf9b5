package io.holdfast.examples.web;

import io.holdfast.examples.flashsale.Keys;
import io.holdfast.examples.flashsale.Shares;
import io.holdfast.redis.RedisFence;
import io.lettuce.core.Range;
import io.lettuce.core.RedisClient;
import io.lettuce.core.StreamMessage;
import io.lettuce.core.api.sync.RedisCommands;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** The accounts in Redis, written by {@link RedisStock}. */
public final class RedisBooks implements Books {

    private final RedisClient client;
    private final RedisCommands<String, String> redis;

    /** Connects to the server. */
    public RedisBooks(String uri) {
        client = RedisClient.create(uri);
        redis = client.connect().sync();
    }

    @Override
    public void open(Way way, long stock) {
        Keys keys = RedisStock.keys(way);
        redis.del(keys.kept());
        redis.del(keys.lock());
        for (int shelf = 0; shelf < Keys.SHELVES; shelf++) {
            redis.del(RedisFence.guardKey(keys.stock(shelf)));
        }
        for (int shelf = 0; shelf < Books.shelves(way); shelf++) {
            redis.set(keys.stock(shelf), Long.toString(Books.onShelf(way, shelf, stock)));
        }
    }

    @Override
    public long left(Way way) {
        Keys keys = RedisStock.keys(way);
        long onShelves = IntStream.range(0, Keys.SHELVES)
                .mapToObj(shelf -> redis.get(keys.stock(shelf)))
                .flatMap(Stream::ofNullable)
                .mapToLong(Long::parseLong)
                .sum();
        return onShelves + new Shares(redis, keys).left();
    }

    @Override
    public List<Timed> orders(Way way) {
        return stream(RedisStock.keys(way).orders());
    }

    @Override
    public List<Timed> others(Way way) {
        return stream(RedisStock.keys(way).journal());
    }

    private List<Timed> stream(String key) {
        return redis.xrange(key, Range.unbounded()).stream()
                .map(RedisBooks::timed)
                .toList();
    }

    private static Timed timed(StreamMessage<String, String> message) {
        String id = message.getId();
        String entry = String.valueOf(message.getBody().get(RedisStock.FIELD));
        return new Timed(Long.parseLong(id.substring(0, id.indexOf('-'))), Entry.of(entry));
    }

    @Override
    public void close() {
        client.shutdown();
    }
}
