package io.holdfast.examples.flashsale;

import io.lettuce.core.RedisClient;
import io.lettuce.core.api.sync.RedisCommands;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

/** A lock as it is often written by hand: a key that is there while somebody sells, asked for again and again. */
abstract class KeyLock implements Strategy {

    private static final int LONGEST_PAUSE_MILLIS = 10;

    private final RedisClient client;
    private final RedisCommands<String, String> redis;
    private final String key;

    KeyLock(Job job) {
        client = RedisClient.create(job.stockStore());
        redis = client.connect().sync();
        key = new Keys(job.sale()).lock();
    }

    /** Makes the key, unless it is there. */
    abstract boolean take(RedisCommands<String, String> redis, String key, String owner);

    /** Removes the key. */
    abstract void free(RedisCommands<String, String> redis, String key, String owner);

    @Override
    public final boolean sell(Sale sale) throws InterruptedException {
        String owner = UUID.randomUUID().toString();
        while (!take(redis, key, owner)) {
            TimeUnit.MILLISECONDS.sleep(ThreadLocalRandom.current().nextInt(LONGEST_PAUSE_MILLIS) + 1);
        }
        try {
            return sale.sellOne();
        } finally {
            free(redis, key, owner);
        }
    }

    @Override
    public void close() {
        client.shutdown();
    }
}
