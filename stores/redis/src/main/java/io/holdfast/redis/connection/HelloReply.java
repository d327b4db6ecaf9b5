package io.holdfast.redis.connection;

import io.lettuce.core.api.async.RedisAsyncCommands;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.ArrayOutput;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import java.util.List;
import java.util.concurrent.CompletionStage;

/**
 * The reply of a server to {@code HELLO}, which every user may send.
 *
 * @param mode {@code standalone}, {@code sentinel} or {@code cluster}
 * @param role {@code master} or {@code replica}
 * @param version the version of Redis that it is, or is compatible with, like {@code 7.0.15}
 */
public record HelloReply(String mode, String role, String version) {

    private static final int SHARD_CHANNELS_SINCE = 7;

    private static final int PROTOCOL = 3;

    public static CompletionStage<HelloReply> ask(RedisAsyncCommands<String, String> redis) {
        CommandArgs<String, String> args = new CommandArgs<>(StringCodec.UTF8).add(PROTOCOL);
        return redis.dispatch(CommandType.HELLO, new ArrayOutput<>(StringCodec.UTF8), args)
                .thenApply(reply -> new HelloReply(text(reply, "mode"), text(reply, "role"), text(reply, "version")));
    }

    private static String text(List<Object> reply, String key) {
        int at = reply.indexOf(key);
        return at < 0 || at + 1 == reply.size() ? "" : String.valueOf(reply.get(at + 1));
    }

    /** Returns {@code true} if the server supports shard channels, whose messages stay at its node. */
    public boolean hasShardChannels() {
        String major = version.split("\\.", 2)[0];
        return mode.equals("cluster") && major.matches("\\d{1,9}") && Integer.parseInt(major) >= SHARD_CHANNELS_SINCE;
    }

    /** Returns {@code true} if the server is a master, which accepts writes. */
    public boolean isMaster() {
        return !role.equals("replica");
    }
}
