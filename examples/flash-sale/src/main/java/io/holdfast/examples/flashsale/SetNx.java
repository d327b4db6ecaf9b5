package io.holdfast.examples.flashsale;

import io.lettuce.core.SetArgs;
import io.lettuce.core.api.sync.RedisCommands;

/** A lock key without an expiry: if its seller dies, the key is never deleted, and no item is sold again. */
final class SetNx extends KeyLock {

    SetNx(Job job) {
        super(job);
    }

    @Override
    boolean take(RedisCommands<String, String> redis, String key, String owner) {
        return redis.set(key, owner, SetArgs.Builder.nx()) != null;
    }

    @Override
    void free(RedisCommands<String, String> redis, String key, String owner) {
        redis.del(key);
    }
}
