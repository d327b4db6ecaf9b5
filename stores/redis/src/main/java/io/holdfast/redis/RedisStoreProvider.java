package io.holdfast.redis;

import io.holdfast.spi.LockStore;
import io.holdfast.spi.StoreConfig;
import io.holdfast.spi.StoreProvider;
import java.util.Set;

/** Opens {@code redis://[user:password@]host[:port][/database]}, and {@code rediss:} for TLS. */
public final class RedisStoreProvider implements StoreProvider {

    /** For {@link java.util.ServiceLoader}. */
    public RedisStoreProvider() {}

    @Override
    public Set<String> schemes() {
        return Set.of("redis", "rediss");
    }

    @Override
    public LockStore open(StoreConfig config) {
        RedisStore store = new RedisStore(config, Address.parse(config.uri()));
        if (!config.lazy()) {
            store.connect();
        }
        return store;
    }
}
