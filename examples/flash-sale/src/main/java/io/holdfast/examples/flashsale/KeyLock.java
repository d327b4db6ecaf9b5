package io.holdfast.examples.flashsale;

import io.lettuce.core.RedisClient;
import io.lettuce.core.api.sync.RedisCommands;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

/** A hand-written lock: a key that exists while a seller holds the lock, and for which others poll. */
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

    /** Creates the key if it does not exist. */
    abstract boolean take(RedisCommands<String, String> redis, String key, String owner);

    /** Deletes the key. */
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
