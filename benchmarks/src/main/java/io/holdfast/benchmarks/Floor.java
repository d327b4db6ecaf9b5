package io.holdfast.benchmarks;

import io.lettuce.core.RedisClient;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.sync.RedisCommands;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** The same two scripts through bare Lettuce, on one shared connection, without any waiting logic. */
final class Floor implements AutoCloseable {

    private static final String SCRIPTS = "/io/holdfast/redis/";

    private final RedisClient client;
    private final RedisCommands<String, String> redis;
    private final String acquire;
    private final String release;

    Floor(String uri) {
        client = RedisClient.create(uri);
        StatefulRedisConnection<String, String> connection = client.connect();
        redis = connection.sync();
        acquire = redis.scriptLoad(script("common", "acquire"));
        release = redis.scriptLoad(script("common", "serve", "release"));
    }

    private static String script(String... parts) {
        StringBuilder whole = new StringBuilder();
        for (String part : parts) {
            try (InputStream in = Floor.class.getResourceAsStream(SCRIPTS + part + ".lua")) {
                if (in == null) {
                    throw new IllegalStateException("no script " + part + ": run this on the class path");
                }
                whole.append(new String(in.readAllBytes(), StandardCharsets.UTF_8));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
        return whole.toString();
    }

    void pair(int thread) {
        String name = "floor-" + thread;
        String[] keys = {name, "hf:{" + name + "}:t:" + name, "hf:{" + name + "}:q:" + name};
        List<Long> granted = redis.evalsha(
                acquire, ScriptOutputType.MULTI, keys, "floor:1", "30000", "1", "9e15", "0", "0", "hf:in:");
        List<Long> released = redis.evalsha(release, ScriptOutputType.MULTI, keys, "floor:1", "0", "0", "hf:in:");
        if (granted.get(0) != 1 || released.get(0) != 1) {
            throw new IllegalStateException("the floor's scripts answered " + granted + " and " + released);
        }
    }

    @Override
    public void close() {
        client.shutdown();
    }
}
