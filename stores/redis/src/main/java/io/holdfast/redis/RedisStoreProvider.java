package io.holdfast.redis;

import io.holdfast.spi.LockStore;
import io.holdfast.spi.StoreConfig;
import io.holdfast.spi.StoreProvider;
import java.util.Set;

/**
 * Opens {@code redis://[user:password@]host[:port][/database][?interop=redisson]}, and {@code rediss:} for TLS; or, where
 * Sentinels know which server is the master, {@code redis-sentinel://[user:password@]host[:port],host[:port].../MASTER[/database]}
 * with the places of the Sentinels, their password as option {@code sentinel-password}, and {@code rediss-sentinel:} for TLS.
 * With TLS the option {@code ca} is a file of the authorities to trust, instead of those of the JVM; {@code cert} and {@code key}
 * are files of the client's own certificate; all in PEM, the key in PKCS 8.
 *
 * <p>Locks and read/write locks exclude those of Redisson on the same names in any case. With {@code interop=redisson} both
 * sides also wake each other: every release is told on Redisson's channel of that lock, the client listens there while it
 * waits, and whoever releases a name that others wait for asks for it again only a millisecond later. Without it a waiter of
 * Redisson sleeps until the time to live that it has seen is over, and may wait for as long as a client of Holdfast is busy
 * with the name; a waiter of Holdfast asks about once a second.
 */
public final class RedisStoreProvider implements StoreProvider {

    /** For {@link java.util.ServiceLoader}. */
    public RedisStoreProvider() {}

    @Override
    public Set<String> schemes() {
        return Set.of("redis", "rediss", "redis-sentinel", "rediss-sentinel", "redis-cluster", "rediss-cluster");
    }

    @Override
    public boolean replicates() {
        return true;
    }

    @Override
    public LockStore open(StoreConfig config) {
        Address server = Address.parse(config.uri());
        if (server.isCluster()) {
            ClusterStore store = new ClusterStore(config, server);
            if (!config.lazy()) {
                store.connect();
            }
            return store;
        }
        if (server.besideRedisson()) {
            return BesideRedisson.open(config, server);
        }
        return connected(new RedisStore(config, server), config);
    }

    static RedisStore connected(RedisStore store, StoreConfig config) {
        if (!config.lazy()) {
            store.connect();
        }
        return store;
    }
}
