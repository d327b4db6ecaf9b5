package io.holdfast.examples.flashsale;

import io.holdfast.embedded.redis.RedisServer;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.StatusOutput;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;

/** A Redis server that answers no write until this is closed, or its time is up. */
final class PausedWrites implements AutoCloseable {

    private static final int LIMIT_MILLIS = 60_000;

    private final RedisClient client;
    private final RedisCommands<String, String> redis;

    private PausedWrites(RedisClient client) {
        this.client = client;
        this.redis = client.connect().sync();
    }

    static PausedWrites of(RedisServer server) {
        PausedWrites paused = new PausedWrites(RedisClient.create(server.uri()));
        pause(paused.redis, LIMIT_MILLIS);
        return paused;
    }

    static void pause(RedisCommands<String, String> redis, int millis) {
        client(
                redis,
                new CommandArgs<>(StringCodec.UTF8).add("PAUSE").add(millis).add("WRITE"));
    }

    private static void client(RedisCommands<String, String> redis, CommandArgs<String, String> arguments) {
        redis.dispatch(CommandType.CLIENT, new StatusOutput<>(StringCodec.UTF8), arguments);
    }

    @Override
    public void close() {
        client(redis, new CommandArgs<>(StringCodec.UTF8).add("UNPAUSE"));
        client.shutdown();
    }
}
