package io.holdfast.examples.flashsale;

import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.sync.RedisCommands;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** The shares of the processes in Redis. Each method that moves items is one script. */
public final class Shares implements ShareStore {

    /** Keys: shares, orders. Arguments: process, token, order. */
    private static final String SELL = """
            if redis.call('HGET', KEYS[1], ARGV[1] .. ':token') ~= ARGV[2] then
                return -1
            end
            redis.call('HINCRBY', KEYS[1], ARGV[1] .. ':left', -1)
            redis.call('XADD', KEYS[2], '*', 'sale', ARGV[3])
            return redis.call('XLEN', KEYS[2])
            """;

    /** Keys: shares, stock. Arguments: process, token, the minimum number of items. */
    private static final String TAKE = """
            if redis.call('HGET', KEYS[1], ARGV[1] .. ':token') ~= ARGV[2] then
                return -1
            end
            local stock = tonumber(redis.call('GET', KEYS[2]))
            local items = math.min(stock, math.max(tonumber(ARGV[3]), math.floor(stock / 8)))
            redis.call('DECRBY', KEYS[2], items)
            redis.call('HINCRBY', KEYS[1], ARGV[1] .. ':left', items)
            return items
            """;

    /**
     * Keys: shares, stock. Arguments: process, token. All tokens have the same length, so that their texts compare like
     * numbers.
     */
    private static final String PUT_BACK = """
            local token = redis.call('HGET', KEYS[1], ARGV[1] .. ':token')
            if token and token > ARGV[2] then
                return 0
            end
            local left = redis.call('HGET', KEYS[1], ARGV[1] .. ':left') or '0'
            redis.call('INCRBY', KEYS[2], left)
            redis.call('HSET', KEYS[1], ARGV[1] .. ':token', ARGV[2], ARGV[1] .. ':left', '0')
            return tonumber(left)
            """;

    private static final String LEFT = ":left";

    private final RedisCommands<String, String> redis;
    private final Keys keys;

    /** Creates a view of the shares of one sale. */
    public Shares(RedisCommands<String, String> redis, Keys keys) {
        this.redis = redis;
        this.keys = keys;
    }

    @Override
    public long sell(int process, long token, String order) {
        String[] places = {keys.shares(), keys.orders()};
        return redis.<Long>eval(SELL, ScriptOutputType.INTEGER, places, text(process), text(token), order);
    }

    @Override
    public long take(int process, long token, int atLeast) {
        return redis.<Long>eval(
                TAKE, ScriptOutputType.INTEGER, stock(), text(process), text(token), Integer.toString(atLeast));
    }

    @Override
    public long putBack(int process, long token) {
        return redis.<Long>eval(PUT_BACK, ScriptOutputType.INTEGER, stock(), text(process), text(token));
    }

    @Override
    public boolean stockIsEmpty() {
        return Long.parseLong(redis.get(keys.stock())) == 0;
    }

    @Override
    public List<Integer> unsold() {
        List<Integer> processes = new ArrayList<>();
        for (Map.Entry<String, String> field : redis.hgetall(keys.shares()).entrySet()) {
            if (field.getKey().endsWith(LEFT) && !field.getValue().equals("0")) {
                processes.add(Integer.valueOf(field.getKey().replace(LEFT, "")));
            }
        }
        return processes;
    }

    /** Returns the number of items in all shares. */
    public long left() {
        return redis.hgetall(keys.shares()).entrySet().stream()
                .filter(field -> field.getKey().endsWith(LEFT))
                .mapToLong(field -> Long.parseLong(field.getValue()))
                .sum();
    }

    private String[] stock() {
        return new String[] {keys.shares(), keys.stock()};
    }

    private static String text(int process) {
        return Integer.toString(process);
    }

    private static String text(long token) {
        return String.format(Locale.ROOT, "%019d", token);
    }
}
