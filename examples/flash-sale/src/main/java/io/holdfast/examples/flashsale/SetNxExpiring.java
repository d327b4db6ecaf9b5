package io.holdfast.examples.flashsale;

import io.lettuce.core.SetArgs;
import io.lettuce.core.api.sync.RedisCommands;

/**
 * A lock key with an expiry. It ends after a crash. Work that outlasts the expiry continues beside the next seller, and then
 * deletes the key of that seller, which admits a third one.
 */
final class SetNxExpiring extends KeyLock {

    private final SetArgs ifAbsent;

    SetNxExpiring(Job job) {
        super(job);
        ifAbsent = SetArgs.Builder.nx().px(job.lease());
    }

    @Override
    boolean take(RedisCommands<String, String> redis, String key, String owner) {
        return redis.set(key, owner, ifAbsent) != null;
    }

    @Override
    void free(RedisCommands<String, String> redis, String key, String owner) {
        redis.del(key);
    }
}
