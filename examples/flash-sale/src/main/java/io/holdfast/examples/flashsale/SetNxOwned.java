package io.holdfast.examples.flashsale;

import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.SetArgs;
import io.lettuce.core.api.sync.RedisCommands;

/**
 * A lock key with an expiry that only its owner deletes: a slow seller admits at most one other. It still works beside that one
 * and overwrites its sale, because nobody renews the key or notifies the owner of the loss.
 */
final class SetNxOwned extends KeyLock {

    private static final String COMPARE_AND_DELETE = """
            if redis.call('GET', KEYS[1]) == ARGV[1] then
                return redis.call('DEL', KEYS[1])
            end
            return 0
            """;

    private final SetArgs ifAbsent;

    SetNxOwned(Job job) {
        super(job);
        ifAbsent = SetArgs.Builder.nx().px(job.lease());
    }

    @Override
    boolean take(RedisCommands<String, String> redis, String key, String owner) {
        return redis.set(key, owner, ifAbsent) != null;
    }

    @Override
    void free(RedisCommands<String, String> redis, String key, String owner) {
        redis.eval(COMPARE_AND_DELETE, ScriptOutputType.INTEGER, new String[] {key}, owner);
    }
}
