package io.holdfast.examples.flashsale;

import io.holdfast.Lease;
import io.holdfast.LeaseLostException;
import io.lettuce.core.RedisClient;
import io.lettuce.core.TransactionResult;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.sync.RedisCommands;
import java.util.function.Consumer;

/** Stock and orders of one sale in Redis, for one seller, because a transaction belongs to its connection. */
final class Shop {

    private final StatefulRedisConnection<String, String> connection;
    private final RedisCommands<String, String> redis;
    private final Keys keys;
    private final Journal journal;
    private final Shares shares;
    private final Setbacks setbacks;

    Shop(RedisClient client, Keys keys, Seller seller) {
        this.connection = client.connect();
        this.redis = connection.sync();
        this.keys = keys;
        this.journal = new Journal(connection, keys, seller);
        this.shares = new Shares(redis, keys);
        this.setbacks = new Setbacks(redis, keys);
    }

    Journal journal() {
        return journal;
    }

    void count(Setback setback) {
        setbacks.add(setback);
    }

    /**
     * Releases a lease. If its hold was lost, this is only counted, because Redis refuses all writes of a former holder after
     * the first step of a later one.
     */
    void release(Lease lease) {
        try {
            lease.close();
        } catch (LeaseLostException e) {
            count(Setback.LOST_HOLD);
        }
    }

    /** Returns the whole stock. A seller writes back the number that it has read, less one. */
    Shelf stock() {
        String key = keys.stock();
        return shelf(key, stock -> redis.set(key, Long.toString(stock - 1)));
    }

    /** Returns the whole stock for the holder of that token, sold in the same way. */
    Shelf stock(long token) {
        return shelf(0, token);
    }

    /** Returns one part of the stock for the holder of that token, sold in the same way. */
    Shelf shelf(int number, long token) {
        return new FencedShelf(redis, keys, number, journal, token);
    }

    /** Returns the whole stock, decremented by Redis. */
    Shelf counter() {
        return shelf(keys.stock(), stock -> redis.decr(keys.stock()));
    }

    /** Returns the share of a process under this token, of which one item is reserved for this seller. */
    Shelf share(int process, long token) {
        return new Shelf() {
            @Override
            public long stock() {
                return 1;
            }

            @Override
            public long sell(long stock) {
                return shares.sell(process, token, journal.sale().toText());
            }
        };
    }

    private Shelf shelf(String key, Consumer<Long> take) {
        return new Shelf() {
            @Override
            public long stock() {
                return read(redis, key);
            }

            @Override
            public long sell(long stock) {
                return order(() -> take.accept(stock));
            }
        };
    }

    static long read(RedisCommands<String, String> redis, String key) {
        String stock = redis.get(key);
        if (stock == null) {
            throw new IllegalStateException("there is no sale at " + key);
        }
        return Long.parseLong(stock);
    }

    /** Writes the stock and an order in one transaction. The id of the order carries the server's time. */
    private long order(Runnable change) {
        redis.multi();
        change.run();
        redis.xadd(keys.orders(), journal.sale().toFields());
        redis.xlen(keys.orders());
        TransactionResult result = redis.exec();
        if (result.wasDiscarded()) {
            throw new IllegalStateException("Redis discarded the order for " + keys.orders());
        }
        return result.get(2);
    }

    /** Records the duration of a purchase, without waiting for the reply. */
    void took(long micros) {
        var unused = connection.async().rpush(keys.took(), Long.toString(micros));
    }
}
