package io.holdfast.redis;

import io.holdfast.redis.cluster.ClusterStore;
import io.holdfast.redis.connection.Driver;
import io.holdfast.redis.connection.RedisAddress;
import io.holdfast.redis.interop.BesideRedisson;
import io.holdfast.redis.store.RedisStore;
import io.holdfast.spi.LockStore;
import io.holdfast.spi.StoreConfig;
import io.holdfast.spi.StoreProvider;
import io.lettuce.core.AbstractRedisClient;
import java.util.Optional;
import java.util.Set;

/**
 * Opens {@code redis://[user:password@]host[:port][/database][?interop=redisson]}, and {@code rediss:} for TLS; or, where
 * Sentinels know which server is the master, {@code redis-sentinel://[user:password@]host[:port],host[:port].../MASTER[/database]}
 * with the places of the Sentinels, their password as option {@code sentinel-password}, and {@code rediss-sentinel:} for TLS;
 * or {@code redis-cluster://[user:password@]host[:port],host[:port]...} with some nodes of a cluster, and {@code rediss-cluster:}.
 * The schemes {@code valkey:} and {@code valkeys:} mean the same as {@code redis:} and {@code rediss:}.
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

    private final Optional<AbstractRedisClient> shared;

    /** For {@link java.util.ServiceLoader}. */
    public RedisStoreProvider() {
        this(Optional.empty());
    }

    private RedisStoreProvider(Optional<AbstractRedisClient> shared) {
        this.shared = shared;
    }

    /**
     * A provider that uses what an application has already, for {@link io.holdfast.HoldfastBuilder#provider}: event loops, resolver of
     * names, and the options of this client, for sockets and TLS among others.
     *
     * <p>Connections stay apart: they are made for the URI of the builder, with RESP3, and without reconnecting by themselves, as
     * a driver that does so may send once more what had no answer. Options in the URI go before those of the client.
     *
     * @param client a {@code RedisClient} or {@code RedisClusterClient}; closed by whoever made it, after the locks' client
     */
    public static RedisStoreProvider using(AbstractRedisClient client) {
        return new RedisStoreProvider(Optional.of(client));
    }

    @Override
    public Set<String> schemes() {
        return Set.of(
                "redis",
                "rediss",
                "redis-sentinel",
                "rediss-sentinel",
                "redis-cluster",
                "rediss-cluster",
                "valkey",
                "valkeys");
    }

    @Override
    public boolean replicates() {
        return true;
    }

    @Override
    public LockStore open(StoreConfig config) {
        RedisAddress server = RedisAddress.parse(config.uri());
        Driver driver = new Driver(config, server, shared);
        if (server.isCluster()) {
            ClusterStore store = new ClusterStore(config, server, driver);
            if (!config.lazy()) {
                store.connect();
            }
            return store;
        }
        if (server.besideRedisson()) {
            return BesideRedisson.open(config, server, driver);
        }
        return new RedisStore(config, server, driver).open();
    }
}
