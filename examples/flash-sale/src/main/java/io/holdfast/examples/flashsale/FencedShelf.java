package io.holdfast.examples.flashsale;

import io.holdfast.FencedOutException;
import io.holdfast.redis.RedisFence;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.sync.RedisCommands;
import java.util.List;

/**
 * A stock under a lock, whose token is passed to Redis before the stock is read, and with the write. Then a seller that has lost
 * the lock can neither overwrite the sale of a later holder nor sell an item that this one has sold.
 */
final class FencedShelf implements Shelf {

    /** Keys: stock, orders. Arguments: the items that are left, the order. */
    private static final String SELL = """
            redis.call('SET', KEYS[1], ARGV[1])
            redis.call('XADD', KEYS[2], '*', 'sale', ARGV[2])
            return redis.call('XLEN', KEYS[2])
            """;

    private final RedisCommands<String, String> redis;
    private final RedisFence fence;
    private final String stock;
    private final String orders;
    private final Journal journal;
    private final long token;

    FencedShelf(RedisCommands<String, String> redis, Keys keys, int number, Journal journal, long token) {
        this.redis = redis;
        this.fence = RedisFence.of(redis).withGuardLife(Books.LIFE);
        this.stock = keys.stock(number);
        this.orders = keys.orders();
        this.journal = journal;
        this.token = token;
    }

    @Override
    public boolean open() {
        try {
            fence.raise(stock, token);
            return true;
        } catch (FencedOutException e) {
            return false;
        }
    }

    @Override
    public long stock() {
        return Shop.read(redis, stock);
    }

    @Override
    public long sell(long items) {
        try {
            return fence.<Long>eval(
                    stock,
                    token,
                    SELL,
                    ScriptOutputType.INTEGER,
                    List.of(orders),
                    Long.toString(items - 1),
                    journal.sale().toText());
        } catch (FencedOutException e) {
            return REFUSED;
        }
    }
}
