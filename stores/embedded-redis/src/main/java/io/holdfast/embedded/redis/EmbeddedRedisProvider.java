package io.holdfast.embedded.redis;

import io.holdfast.spi.LockStore;
import io.holdfast.spi.StoreConfig;
import io.holdfast.spi.StoreException;
import io.holdfast.spi.StoreProvider;
import io.holdfast.spi.StoreUri;
import java.util.ServiceLoader;
import java.util.Set;

/**
 * A provider that opens {@code embedded:redis}: locks on a real Redis that runs beside this JVM, for demos, tests and
 * development.
 *
 * <p>There is one server for each JVM. It is started by the first client, and stopped with the last one. It persists nothing,
 * and excludes no process outside this JVM. It needs {@code holdfast-redis} on the class path, which communicates with the
 * server.
 */
public final class EmbeddedRedisProvider implements StoreProvider {

    private static final String URI = "embedded:redis";

    @Override
    public Set<String> schemes() {
        return Set.of("embedded");
    }

    @Override
    public LockStore open(StoreConfig config) {
        if (!config.uri().equals(URI)) {
            throw new IllegalArgumentException(
                    "uri '" + StoreUri.masked(config.uri()) + "' is not understood: write " + URI);
        }
        StoreProvider redis = redisProvider();
        RedisServer server = start();
        try {
            return new EmbeddedStore(redis.open(config.withUri(server.uri())));
        } catch (RuntimeException e) {
            EmbeddedRedis.release();
            throw e;
        }
    }

    private static RedisServer start() {
        try {
            return EmbeddedRedis.acquire();
        } catch (IllegalStateException e) {
            throw new StoreException(
                    StoreException.Effect.REFUSED, "the embedded Redis did not start: " + e.getMessage(), e);
        }
    }

    private static StoreProvider redisProvider() {
        return ServiceLoader.load(StoreProvider.class, EmbeddedRedisProvider.class.getClassLoader()).stream()
                .map(ServiceLoader.Provider::get)
                .filter(provider -> provider.schemes().contains("redis"))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException(
                        URI + " needs the Redis store: add io.holdfast:holdfast-redis to the class path"));
    }
}
