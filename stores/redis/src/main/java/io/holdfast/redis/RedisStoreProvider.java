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
 * The provider of the store for Redis and Valkey.
 *
 * <p>It opens these URIs:
 *
 * <ul>
 *   <li>{@code redis://[user:password@]host[:port][/database][?interop=redisson]}: one server
 *   <li>{@code redis-sentinel://[user:password@]host[:port],host[:port].../MASTER[/database]}: a master that Sentinels name.
 *       The URI has the addresses of the Sentinels. Their password is the option {@code sentinel-password}
 *   <li>{@code redis-cluster://[user:password@]host[:port],host[:port]...}: a cluster, of which the URI has some nodes
 * </ul>
 *
 * <p>The schemes {@code rediss:}, {@code rediss-sentinel:} and {@code rediss-cluster:} use TLS. The schemes {@code valkey:} and
 * {@code valkeys:} mean the same as {@code redis:} and {@code rediss:}. With TLS, the option {@code ca} names a file of the
 * authorities to trust instead of those of the JVM. The options {@code cert} and {@code key} name the files of the client's own
 * certificate and its key. All files are in PEM, and the key is in PKCS 8.
 *
 * <p>Locks and read/write locks always exclude those of Redisson with the same names. With {@code interop=redisson}, both sides
 * also wake each other. Every release is published on Redisson's channel of that lock. A client listens on that channel while
 * it waits. A client that has released a name for which others wait does not request it again for 1 ms, so that the others can
 * acquire it. Without the option, a waiter of Redisson sleeps until the time to live that it has seen is over. It may wait for
 * as long as a client of Holdfast is busy with the name. A waiter of Holdfast polls about once a second.
 */
public final class RedisStoreProvider implements StoreProvider {

    private final Optional<AbstractRedisClient> shared;

    /** Creates the provider for {@link java.util.ServiceLoader}. */
    public RedisStoreProvider() {
        this(Optional.empty());
    }

    private RedisStoreProvider(Optional<AbstractRedisClient> shared) {
        this.shared = shared;
    }

    /**
     * Returns a provider that uses the Lettuce client of an application, for {@link io.holdfast.HoldfastBuilder#provider}. It
     * uses the event loops, the resolver of names, and the options of that client, for example for sockets and TLS.
     *
     * <p>Connections are not shared. They are made for the URI of the builder, with RESP3, and they do not reconnect by
     * themselves. A driver that reconnects may resend a request that had no answer. Options in the URI take precedence over
     * those of the client.
     *
     * @param client a {@code RedisClient} or {@code RedisClusterClient}; its owner closes it after the Holdfast client
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
