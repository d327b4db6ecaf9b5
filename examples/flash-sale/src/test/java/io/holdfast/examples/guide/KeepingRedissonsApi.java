package io.holdfast.examples.guide;

import io.holdfast.Holdfast;
import io.holdfast.redisson.api.RedissonLocks;
import org.redisson.api.RedissonClient;

/** The beans of docs/migrating-from-redisson.md. */
final class KeepingRedissonsApi {

    private KeepingRedissonsApi() {}

    // region redisson-bean
    static RedissonClient redisson() {
        return RedissonLocks.client(Holdfast.connect("redis://redis.example.com"));
    }
    // endregion

    // region redisson-bean-and-rest
    static RedissonClient redisson(RedissonClient rest) {
        return RedissonLocks.client(Holdfast.connect("redis://redis.example.com"), rest);
    }
    // endregion
}
