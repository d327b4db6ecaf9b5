package io.holdfast.examples.web;

import io.holdfast.examples.flashsale.Keys;
import io.holdfast.examples.flashsale.ShareStore;
import io.holdfast.examples.flashsale.Shares;
import io.holdfast.redis.RedisFence;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.sync.RedisCommands;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.data.redis.core.script.RedisScript;

/**
 * The stock in Redis: a number for each shelf, a stream of orders, and a stream of all other entries. The id of an entry is a
 * time of the server's clock.
 */
final class RedisStock implements Stock {

    /** The field of an entry in its stream, as {@link Shares} writes it. */
    static final String FIELD = "sale";

    private static final String LOCK_VALUE = "locked";

    /** Keys: stock, orders. Arguments: the items that are left, the order. */
    private static final String WRITE = """
            redis.call('SET', KEYS[1], ARGV[1])
            redis.call('XADD', KEYS[2], '*', '%s', ARGV[2])
            return 1
            """.formatted(FIELD);

    private static final String READ = "return redis.call('GET', KEYS[1])";

    private static final RedisScript<Long> UNGUARDED = RedisScript.of(WRITE, Long.class);

    private final StringRedisTemplate redis;
    private final RedisCommands<String, String> commands;
    private final RedisFence fence;

    RedisStock(StringRedisTemplate redis, RedisCommands<String, String> commands) {
        this.redis = redis;
        this.commands = commands;
        this.fence = RedisFence.of(commands);
    }

    static Keys keys(Way way) {
        return new Keys("shop-" + way.label());
    }

    @Override
    public long read(Way way, int shelf) {
        String key = keys(way).stock(shelf);
        return number(key, redis.opsForValue().get(key));
    }

    @Override
    public long readFenced(Way way, int shelf, long token) {
        String key = keys(way).stock(shelf);
        return number(key, fence.eval(key, token, READ, ScriptOutputType.VALUE, List.of()));
    }

    private static long number(String key, @Nullable String items) {
        if (items == null) {
            throw new IllegalStateException("there is no stock at " + key);
        }
        return Long.parseLong(items);
    }

    @Override
    public void write(Way way, long left, Entry order) {
        List<String> places = List.of(keys(way).stock(order.shelf()), keys(way).orders());
        var unused = redis.execute(UNGUARDED, places, Long.toString(left), order.toText());
    }

    @Override
    public void writeFenced(Way way, long left, Entry order) {
        Keys keys = keys(way);
        var unused = fence.<Long>eval(
                keys.stock(order.shelf()),
                order.token(),
                WRITE,
                ScriptOutputType.INTEGER,
                List.of(keys.orders()),
                Long.toString(left),
                order.toText());
    }

    @Override
    public void note(Way way, Entry entry) {
        var unused = redis.opsForStream().add(keys(way).journal(), Map.of(FIELD, entry.toText()));
    }

    @Override
    public boolean takeKey(Way way, Duration expiry) {
        return Boolean.TRUE.equals(redis.opsForValue().setIfAbsent(keys(way).lock(), LOCK_VALUE, expiry));
    }

    @Override
    public void freeKey(Way way) {
        var unused = redis.delete(keys(way).lock());
    }

    @Override
    public ShareStore shares(Way way) {
        return new Shares(commands, keys(way));
    }
}
