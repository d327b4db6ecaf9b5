package io.holdfast.examples.flashsale;

import io.lettuce.core.api.sync.RedisCommands;

/**
 * The numbers of setbacks of one sale, in Redis.
 *
 * @param redis a connection of the seller, or of the process that counts
 * @param keys the keys of the sale
 */
record Setbacks(RedisCommands<String, String> redis, Keys keys) {

    void add(Setback setback) {
        redis.hincrby(keys.setbacks(), setback.name(), 1);
    }

    long count(Setback setback) {
        String count = redis.hget(keys.setbacks(), setback.name());
        return count == null ? 0 : Long.parseLong(count);
    }
}
