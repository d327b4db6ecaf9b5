package io.holdfast.examples.flashsale;

import io.lettuce.core.SetArgs;
import io.lettuce.core.api.sync.RedisCommands;

/**
 * A key that expires: a death ends, but work that lasts longer than the expiry goes on beside the next seller, and then
 * removes that seller's key, which lets in a third one.
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
