package io.holdfast.redis;

import io.holdfast.embedded.redis.RedisServer;
import io.holdfast.testkit.Await;
import io.holdfast.testkit.cluster.Ports;
import io.lettuce.core.AclSetuserArgs;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.protocol.CommandType;
import io.lettuce.core.sentinel.api.StatefulRedisSentinelConnection;
import io.lettuce.core.sentinel.api.sync.RedisSentinelCommands;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** A master, two replicas, and three Sentinels that know them as "orders", all on free ports. */
final class SentinelGroup implements AutoCloseable {

    static final String MASTER = "orders";
    private static final int EACH = 3;

    /** Long enough to ask the servers what they have, and over before a Sentinel has promoted another one. */
    private static final Duration IN_STEP = Duration.ofSeconds(1);

    final List<RedisServer> servers = new ArrayList<>();
    final List<RedisServer> sentinels = new ArrayList<>();
    private final Map<RedisServer, Integer> ports = new HashMap<>();
    private final RedisClient client = RedisClient.create();

    SentinelGroup() {
        this(new String[0]);
    }

    /** @param tls with what servers are started that speak it to clients and to each other; empty if they do not */
    SentinelGroup(String[] tls) {
        servers.add(start(RedisServer.builder(), tls, "--repl-diskless-sync-delay", "0"));
        int first = port(servers.get(0));
        for (int i = 1; i < EACH; i++) {
            servers.add(start(
                    RedisServer.builder(),
                    tls,
                    "--replicaof",
                    "127.0.0.1 " + first,
                    "--repl-diskless-sync-delay",
                    "0"));
        }
        for (int i = 0; i < EACH; i++) {
            RedisServer.Builder sentinel = RedisServer.builder()
                    .config(
                            "sentinel monitor " + MASTER + " 127.0.0.1 " + first + " 2",
                            "sentinel down-after-milliseconds " + MASTER + " 500",
                            "sentinel failover-timeout " + MASTER + " 3000");
            sentinels.add(start(sentinel, tls, "--sentinel"));
        }
        Await.until("the Sentinels know all", () -> sentinels.stream().allMatch(this::knowsAll));
        awaitReplicas();
    }

    private RedisServer start(RedisServer.Builder builder, String[] tls, String... more) {
        List<String> args = new ArrayList<>(List.of(tls));
        int secure = Ports.free();
        if (tls.length > 0) {
            args.addAll(List.of("--tls-replication", "yes", "--tls-port", "" + secure));
        }
        args.addAll(List.of(more));
        RedisServer server = builder.args(args.toArray(String[]::new)).start();
        ports.put(server, tls.length > 0 ? secure : server.port());
        return server;
    }

    /** Where clients reach it. */
    private int port(RedisServer server) {
        return Objects.requireNonNull(ports.get(server));
    }

    /** Until the master has both, and all Sentinels know. */
    void awaitReplicas() {
        Await.until(
                "the replicas are up to date",
                () -> redis(master(), r -> r.info("replication"))
                        .matches("(?s).*slave0:\\S*state=online.*slave1:\\S*state=online.*"));
    }

    private boolean knowsAll(RedisServer sentinel) {
        Map<String, String> master = told(sentinel);
        return master.get("num-slaves").equals("2")
                && master.get("num-other-sentinels").equals("2");
    }

    private Map<String, String> told(RedisServer sentinel) {
        return sentinel(sentinel, s -> s.master(MASTER));
    }

    private <T> T sentinel(RedisServer sentinel, Function<RedisSentinelCommands<String, String>, T> question) {
        RedisURI uri = RedisURI.create(sentinel.uri());
        try (StatefulRedisSentinelConnection<String, String> connection = client.connectSentinel(uri)) {
            return question.apply(connection.sync());
        }
    }

    /** Asks a server something, on a connection of its own. */
    <T> T redis(RedisServer server, Function<RedisCommands<String, String>, T> question) {
        try (StatefulRedisConnection<String, String> connection = client.connect(RedisURI.create(server.uri()))) {
            return question.apply(connection.sync());
        }
    }

    String uri() {
        return sentinels.stream()
                .map(sentinel -> "127.0.0.1:" + port(sentinel))
                .collect(Collectors.joining(",", "redis-sentinel://", "/" + MASTER));
    }

    /** Forbids clients of the Sentinels to subscribe. */
    void forbidSubscriptions() {
        for (RedisServer sentinel : sentinels) {
            redis(sentinel, r -> r.aclSetuser("default", AclSetuserArgs.Builder.removeCommand(CommandType.SUBSCRIBE)));
        }
    }

    /** Makes the Sentinels wait for that long before they promote another master. */
    void waitBeforeAFailover(Duration time) {
        for (RedisServer sentinel : sentinels) {
            sentinel(sentinel, s -> s.set(MASTER, "down-after-milliseconds", "" + time.toMillis()));
        }
    }

    /** Until no Sentinel is in the TILT mode, in which it promotes nobody. A pause of the machine begins it. */
    void awaitNoTilt() {
        Await.until("no Sentinel is in the TILT mode", () -> sentinels.stream().noneMatch(this::isInTilt));
    }

    private boolean isInTilt(RedisServer sentinel) {
        return redis(sentinel, r -> r.info("sentinel")).contains("sentinel_tilt:1");
    }

    /**
     * Freezes the master when the replicas have all that it has written. Requests that may write arrive there, and are held back until it
     * wakes. Otherwise the last write might be answered, and forgotten by the next master.
     */
    void freezeInStep(RedisServer master) {
        boolean inStep = false;
        while (!inStep) {
            master.resume();
            long end = System.nanoTime() + IN_STEP.toNanos();
            redis(master, r -> Servers.pauseWrites(r, IN_STEP));
            Await.until(
                    "the replicas have all writes",
                    () -> servers.stream().map(this::offset).distinct().count() == 1);
            master.pause();
            inStep = System.nanoTime() - end < 0;
        }
    }

    /** How much the server has of the data that the master sends to its replicas. */
    private String offset(RedisServer server) {
        return redis(server, r -> r.info("replication")).replaceAll("(?s).*\\bmaster_repl_offset:(\\d+).*", "$1");
    }

    /** Makes all Sentinels take another server for the master, which does not know, and neither do those that were theirs. */
    void nameAnother(RedisServer server) {
        for (RedisServer sentinel : sentinels) {
            sentinel(sentinel, s -> s.remove(MASTER));
            sentinel(sentinel, s -> s.monitor(MASTER, "127.0.0.1", server.port(), 2));
        }
    }

    /** The master. */
    RedisServer master() {
        return agreed().orElseThrow();
    }

    /** The same, as most Sentinels know it; empty while they hear of another one. */
    Optional<RedisServer> agreed() {
        Map<String, Long> votes = sentinels.stream()
                .collect(Collectors.groupingBy(sentinel -> told(sentinel).get("port"), Collectors.counting()));
        return servers.stream()
                .filter(server -> votes.getOrDefault("" + port(server), 0L) > EACH / 2)
                .findFirst();
    }

    /** Returns {@code true} if a Sentinel names another master. The others may not know yet. */
    boolean isReplaced(RedisServer master) {
        return sentinels.stream()
                .anyMatch(sentinel -> !told(sentinel).get("port").equals("" + port(master)));
    }

    @Override
    public void close() {
        client.shutdown();
        IntStream.range(0, EACH).forEach(i -> {
            sentinels.get(i).close();
            servers.get(i).close();
        });
    }
}
