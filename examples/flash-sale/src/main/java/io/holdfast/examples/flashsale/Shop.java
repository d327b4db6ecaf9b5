package io.holdfast.examples.flashsale;

import io.lettuce.core.RedisClient;
import io.lettuce.core.SetArgs;
import io.lettuce.core.TransactionResult;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.sync.RedisCommands;
import java.util.Map;

/** Stock and orders of one sale in Redis, for one seller: a transaction belongs to its connection. */
final class Shop {

    private final StatefulRedisConnection<String, String> connection;
    private final RedisCommands<String, String> redis;
    private final Keys keys;

    Shop(RedisClient client, Keys keys) {
        this.connection = client.connect();
        this.redis = connection.sync();
        this.keys = keys;
    }

    long stock() {
        String stock = redis.get(keys.stock());
        if (stock == null) {
            throw new IllegalStateException("there is no sale at " + keys.stock());
        }
        return Long.parseLong(stock);
    }

    /** Writes the new stock and an order, whose id carries the server's time, or neither. */
    void sell(long left) {
        redis.multi();
        redis.set(keys.stock(), Long.toString(left), SetArgs.Builder.keepttl());
        redis.xadd(keys.orders(), Map.of("left", Long.toString(left)));
        TransactionResult result = redis.exec();
        if (result.wasDiscarded()) {
            throw new IllegalStateException("Redis discarded the order for " + keys.orders());
        }
    }

    /** Notes how long a purchase took, without waiting for the answer. */
    void took(long micros) {
        var unused = connection.async().rpush(keys.took(), Long.toString(micros));
    }
}
