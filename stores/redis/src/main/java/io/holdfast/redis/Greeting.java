package io.holdfast.redis;

import io.lettuce.core.api.async.RedisAsyncCommands;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.ArrayOutput;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import java.util.List;
import java.util.concurrent.CompletionStage;

/**
 * What a server says of itself when it is greeted, which every user may do.
 *
 * @param mode {@code standalone}, {@code sentinel} or {@code cluster}
 * @param role {@code master} or {@code replica}
 */
record Greeting(String mode, String role) {

    private static final int PROTOCOL = 3;

    static CompletionStage<Greeting> ask(RedisAsyncCommands<String, String> redis) {
        CommandArgs<String, String> args = new CommandArgs<>(StringCodec.UTF8).add(PROTOCOL);
        return redis.dispatch(CommandType.HELLO, new ArrayOutput<>(StringCodec.UTF8), args)
                .thenApply(reply -> new Greeting(text(reply, "mode"), text(reply, "role")));
    }

    private static String text(List<Object> reply, String key) {
        int at = reply.indexOf(key);
        return at < 0 || at + 1 == reply.size() ? "" : String.valueOf(reply.get(at + 1));
    }

    /** Whether it may write. */
    boolean isMaster() {
        return !role.equals("replica");
    }
}
