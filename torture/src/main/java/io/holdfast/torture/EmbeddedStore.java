package io.holdfast.torture;

import io.holdfast.embedded.redis.RedisServer;
import io.holdfast.testkit.cluster.Cluster;
import io.holdfast.testservers.DatabaseProcess;
import io.holdfast.testservers.EtcdServers;
import io.holdfast.testservers.ZooKeeperServers;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.function.IntFunction;

/** A kind of server that this process can start. */
enum EmbeddedStore {
    REDIS {
        @Override
        FaultyServer start(Path folder) {
            // without fsync, a write is never put off until after its reply
            return of(RedisServer.start("--appendonly", "yes", "--appendfsync", "no"));
        }
    },
    POSTGRESQL {
        @Override
        FaultyServer start(Path folder) throws IOException, InterruptedException {
            Path programs;
            try (EmbeddedPostgres unpacked = EmbeddedPostgres.builder()
                    .setPGStartupWait(DatabaseProcess.START)
                    .start()) {
                programs = DatabaseProcess.programsOfPostgreSql(unpacked.getJdbcUrl("postgres", "postgres"));
            }
            return of(DatabaseProcess.startPostgreSql(folder, programs));
        }
    },
    ZOOKEEPER {
        @Override
        FaultyServer start(Path folder) {
            return of(new ZooKeeperServers(1), port -> ZooKeeperServers.uri("127.0.0.1:" + port, SESSION));
        }
    },
    ETCD {
        @Override
        FaultyServer start(Path folder) {
            return of(new EtcdServers(1), port -> "etcd://127.0.0.1:" + port + "?session=" + SESSION.toSeconds() + "s");
        }
    };

    /** The session of clients of ZooKeeper and etcd. */
    static final Duration SESSION = Duration.ofSeconds(5);

    private static final String PREFIX = "embedded:";

    /**
     * Starts a server.
     *
     * @param folder an empty folder for its data, if it needs one
     */
    abstract FaultyServer start(Path folder) throws IOException, InterruptedException;

    /** Returns the kind that an option names; empty if the option is the URI of a server. */
    static Optional<EmbeddedStore> named(String store) {
        if (!store.startsWith(PREFIX)) {
            return Optional.empty();
        }
        return Optional.of(Arrays.stream(values())
                .filter(each -> each.toString().equals(store))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException(
                        "--store " + store + ": there are " + Arrays.toString(values()) + ", and URIs")));
    }

    @Override
    public String toString() {
        return PREFIX + name().toLowerCase(Locale.ROOT);
    }

    private static FaultyServer of(RedisServer server) {
        return new FaultyServer(
                server.port(),
                port -> "redis://127.0.0.1:" + port,
                server::kill,
                Executors.callable(server::restart),
                server::pause,
                server::resume,
                server::close);
    }

    private static FaultyServer of(DatabaseProcess server) {
        return new FaultyServer(
                server.port(),
                server::uri,
                server::kill,
                () -> {
                    server.restart();
                    return server;
                },
                server::pause,
                server::resume,
                server::close);
    }

    private static FaultyServer of(Cluster server, IntFunction<String> uri) {
        return new FaultyServer(
                server.port(0),
                uri,
                () -> server.kill(0),
                Executors.callable(() -> server.start(0)),
                () -> server.pause(0),
                () -> server.resume(0),
                server::close);
    }
}
