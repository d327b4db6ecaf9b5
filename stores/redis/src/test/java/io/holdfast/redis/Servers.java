package io.holdfast.redis;

import io.holdfast.embedded.redis.RedisServer;
import io.holdfast.testkit.Await;
import io.holdfast.testkit.cluster.Certificates;
import io.lettuce.core.KillArgs;
import io.lettuce.core.RedisClient;
import io.lettuce.core.ScanArgs;
import io.lettuce.core.ScanIterator;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.StatusOutput;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** A server and a look into it. */
final class Servers implements AutoCloseable {

    private static final AtomicInteger NAMES = new AtomicInteger();

    /** A server that is slow to load its data takes a minute for them. */
    private static final int SLOW_KEYS = 60_000;

    final RedisServer server;
    final RedisCommands<String, String> redis;
    private final String uri;
    final RedisClient client;
    private final StatefulRedisConnection<String, String> connection;
    private final boolean own;

    private Servers(RedisServer server, String uri, boolean own) {
        this.server = server;
        this.uri = uri;
        this.own = own;
        client = RedisClient.create(uri);
        connection = client.connect();
        redis = connection.sync();
    }

    private static final class Shared {
        static final Servers SERVERS = new Servers(RedisServer.start(), false);
    }

    private Servers(RedisServer server, boolean own) {
        this(server, server.uri(), own);
    }

    /** The one that all tests share that do it no harm. */
    static Servers shared() {
        return Shared.SERVERS;
    }

    static Servers start(String... args) {
        return new Servers(RedisServer.start(args), true);
    }

    /** A server that is slow to load its data, when it has any. */
    static Servers slowToLoad() {
        return start("--key-load-delay", "1000", "--loading-process-events-interval-bytes", "1024");
    }

    /** Restarts a server that is slow to load its data. It loads them until {@link #endLoading}, or for a minute. */
    void beginLoading() {
        Map<String, String> data = new HashMap<>();
        for (int i = 0; i < SLOW_KEYS; i++) {
            data.put("key" + i, "x");
        }
        redis.mset(data);
        redis.save();
        server.restart();
    }

    void endLoading() {
        redis.configSet("key-load-delay", "0");
    }

    /** How often anybody has connected. */
    long connectionsSoFar() {
        return Stream.of(redis.info("stats").split("\r\n", -1))
                .filter(line -> line.startsWith("total_connections_received:"))
                .mapToLong(line -> Long.parseLong(line.substring(line.indexOf(':') + 1)))
                .sum();
    }

    /** A replica, which has caught up. */
    static Servers following(Servers master) {
        Servers replica = start("--replicaof", "127.0.0.1 " + master.server.port());
        Await.until(
                "the replica follows", () -> replica.redis.info("replication").contains("master_link_status:up"));
        return replica;
    }

    /** Of a server without a password. */
    static String uri(int port) {
        return "redis://127.0.0.1:" + port;
    }

    /** One that wants a password, which is in its URI. */
    static Servers guarded(String password, String... args) {
        List<String> all = new ArrayList<>(List.of(args));
        all.addAll(List.of("--requirepass", password));
        RedisServer server = RedisServer.start(all.toArray(String[]::new));
        return new Servers(server, "redis://:" + password + "@127.0.0.1:" + server.port(), true);
    }

    /** A lock name that no other test uses; none is the beginning of another. */
    static String name() {
        return "lock-" + (10_000 + NAMES.incrementAndGet());
    }

    String uri() {
        return uri;
    }

    /** How often a command was called. */
    long calls(String command) {
        return calls(redis.info("commandstats"), command);
    }

    /** The same, from what a server told. */
    static long calls(String stats, String command) {
        Matcher found = Pattern.compile("cmdstat_" + Pattern.quote(command) + ":calls=(\\d+)")
                .matcher(stats);
        return found.find() ? Long.parseLong(found.group(1)) : 0;
    }

    /** All keys with this text in them. */
    Set<String> keysOf(String name) {
        return new TreeSet<>(keys(redis, "*" + name + "*"));
    }

    /** In a way that all versions of the driver have. */
    static List<String> keys(RedisCommands<String, String> redis, String pattern) {
        return ScanIterator.scan(redis, ScanArgs.Builder.matches(pattern).limit(1_000)).stream()
                .toList();
    }

    /** All keys, but those that tell others where a client is. */
    Set<String> keys() {
        Set<String> keys = new TreeSet<>(keys(redis, "*"));
        keys.removeIf(key -> key.startsWith("hf:client:"));
        return keys;
    }

    /** Of all names without a prefix. */
    static String counterKey() {
        return "hf:{}:t:";
    }

    static String floorKey(String name) {
        return "hf:{" + name + "}:tf:" + name;
    }

    static String claimKey(String name) {
        return "hf:{" + name + "}:a:" + name;
    }

    static String queueKey(String name) {
        return "hf:{" + name + "}:q:" + name;
    }

    /** A lock as another program keeps it, with an end. */
    void holdAsOther(String lock, Map<String, String> fields) {
        redis.hset(lock, fields);
        redis.pexpire(lock, 600_000);
    }

    /** Holds back every request that may write, until {@link #unpause}; others are answered. */
    void pauseWrites() {
        pauseWrites(redis, Duration.ofMinutes(1));
    }

    /** The same at any server, for a time. */
    static String pauseWrites(RedisCommands<String, String> redis, Duration time) {
        return client(redis, "PAUSE", "" + time.toMillis(), "WRITE");
    }

    void unpause() {
        client(redis, "UNPAUSE");
    }

    private static String client(RedisCommands<String, String> redis, String... words) {
        CommandArgs<String, String> args = new CommandArgs<>(StringCodec.UTF8);
        List.of(words).forEach(args::add);
        return redis.dispatch(CommandType.CLIENT, new StatusOutput<>(StringCodec.UTF8), args);
    }

    /** Gives a user exactly these rights; the URI to connect as that user. */
    String allow(String user, String... rights) {
        allow(redis, user, rights);
        return "redis://" + user + ":secret@127.0.0.1:" + server.port();
    }

    /** The same at any server; the password is "secret". */
    static void allow(RedisCommands<String, String> redis, String user, String... rights) {
        CommandArgs<String, String> args = new CommandArgs<>(StringCodec.UTF8).add("SETUSER");
        List.of(user, "reset", "on", ">secret").forEach(args::add);
        List.of(rights).forEach(args::add);
        redis.dispatch(CommandType.ACL, new StatusOutput<>(StringCodec.UTF8), args);
    }

    /** Cuts the connections of the clients whose name begins like that. */
    void cut(String clientName) {
        redis.clientList()
                .lines()
                .filter(line -> line.contains(" name=" + clientName))
                .forEach(line -> redis.clientKill(KillArgs.Builder.addr(line.replaceAll(".* addr=(\\S+).*", "$1"))));
    }

    /** Cuts the connections of all clients. */
    void cut() {
        cut("holdfast-");
    }

    /** The options of a server that has a certificate. */
    static String[] tls(Certificates certificates, String authenticateClients) {
        return new String[] {
            "--tls-cert-file", certificates.file("server.pem").toString(),
            "--tls-key-file", certificates.file("server.key").toString(),
            "--tls-ca-cert-file", certificates.authority().toString(),
            "--tls-auth-clients", authenticateClients
        };
    }

    @Override
    public void close() {
        if (own) {
            // an attempt to reconnect that is under way needs its threads to the end
            Duration quiet = connection.isOpen() ? Duration.ZERO : Duration.ofMillis(300);
            connection.close();
            client.shutdown(quiet, Duration.ofSeconds(2));
            server.close();
        }
    }
}
