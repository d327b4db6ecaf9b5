package io.holdfast.redis.script;

import io.holdfast.redis.connection.ExactUtf8;
import io.holdfast.spi.StoreException;
import io.lettuce.core.RedisNoScriptException;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.async.RedisAsyncCommands;
import io.lettuce.core.output.NestedMultiOutput;
import io.lettuce.core.output.StatusOutput;
import io.lettuce.core.protocol.AsyncCommand;
import io.lettuce.core.protocol.Command;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * One run of a script, which completes with its decoded reply. The script is sent by its digest, and by its text if the server
 * does not know it.
 */
final class ScriptRun<T> extends CompletableFuture<T> {

    private final Script script;
    private final String[] keys;
    private final String[] values;
    private final Function<List<Object>, T> decoder;
    private final Function<Throwable, StoreException> failed;

    ScriptRun(
            Script script,
            String[] keys,
            String[] values,
            Function<List<Object>, T> decoder,
            Function<Throwable, StoreException> failed) {
        this.script = script;
        this.keys = keys;
        this.values = values;
        this.decoder = decoder;
        this.failed = failed;
    }

    ScriptRun<T> on(RedisAsyncCommands<String, String> redis) {
        redis.<List<Object>>evalsha(script.digest, ScriptOutputType.MULTI, keys, values)
                .whenComplete((reply, error) -> {
                    if (error instanceof RedisNoScriptException) {
                        redis.<List<Object>>eval(script.text, ScriptOutputType.MULTI, keys, values)
                                .whenComplete(this::answered);
                    } else {
                        answered(reply, error);
                    }
                });
        return this;
    }

    /** Runs the script at a node that imports the slot of its keys. Such a node accepts commands only after {@code ASKING}. */
    ScriptRun<T> asking(StatefulRedisConnection<String, String> redis) {
        CommandArgs<String, String> args = new CommandArgs<>(ExactUtf8.CODEC)
                .add(script.text)
                .add(keys.length)
                .addKeys(keys)
                .addValues(values);
        AsyncCommand<String, String, List<Object>> run =
                new AsyncCommand<>(new Command<>(CommandType.EVAL, new NestedMultiOutput<>(ExactUtf8.CODEC), args));
        var unused = run.whenComplete(this::answered);
        // ASKING applies to the next command only, so both are written in one batch
        redis.dispatch(List.of(new Command<>(CommandType.ASKING, new StatusOutput<>(ExactUtf8.CODEC)), run));
        return this;
    }

    private void answered(@Nullable List<Object> reply, @Nullable Throwable error) {
        if (reply == null || error != null) {
            completeExceptionally(failed.apply(error));
            return;
        }
        try {
            complete(decoder.apply(reply));
        } catch (RuntimeException e) {
            completeExceptionally(e);
        }
    }
}
