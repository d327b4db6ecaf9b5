package io.holdfast.redis.connection;

import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisConnectionStateAdapter;

/** Calls an action when a connection is cut. */
final class Disconnection extends RedisConnectionStateAdapter {

    private final Runnable action;

    Disconnection(Runnable action) {
        this.action = action;
    }

    @Override
    public void onRedisDisconnected(RedisChannelHandler<?, ?> gone) {
        action.run();
    }
}
