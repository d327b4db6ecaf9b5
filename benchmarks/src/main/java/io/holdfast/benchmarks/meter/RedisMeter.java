package io.holdfast.benchmarks.meter;

import io.lettuce.core.RedisClient;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.sync.RedisCommands;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;

/** The counters of Redis, read over a connection of its own. */
final class RedisMeter implements ServerMeter {

    private static final String CALLS = "cmdstat_";

    // the server also counts the commands that scripts call; scripts call none of these
    private static final Set<String> OF_CLIENTS = Set.of(
            "eval",
            "evalsha",
            "fcall",
            "subscribe",
            "unsubscribe",
            "psubscribe",
            "ssubscribe",
            "sunsubscribe",
            "ping",
            "wait",
            "hello",
            "client|setname",
            "client|setinfo",
            "client|id",
            "auth",
            "select",
            "echo",
            "script|load",
            "multi",
            "exec");
    private static final Set<String> MESSAGES = Set.of("publish", "spublish");
    private static final int BATCH = 1_000;

    private final RedisClient client;
    private final RedisCommands<String, String> redis;

    RedisMeter(String uri) {
        client = RedisClient.create(uri);
        StatefulRedisConnection<String, String> connection = client.connect();
        redis = connection.sync();
    }

    @Override
    public Reading read() {
        Map<String, String> calls = info("commandstats");
        Map<String, String> cpu = info("cpu");
        double seconds = Double.parseDouble(cpu.getOrDefault("used_cpu_sys", "0"))
                + Double.parseDouble(cpu.getOrDefault("used_cpu_user", "0"));
        return new Reading(
                sum(calls, OF_CLIENTS),
                sum(calls, MESSAGES),
                (long) (seconds * 1e6),
                Long.parseLong(info("memory").getOrDefault("used_memory", "0")));
    }

    private Map<String, String> info(String section) {
        Map<String, String> values = new LinkedHashMap<>();
        redis.info(section).lines().filter(line -> line.indexOf(':') > 0).forEach(line -> {
            int colon = line.indexOf(':');
            values.put(line.substring(0, colon), line.substring(colon + 1).trim());
        });
        return values;
    }

    private static long sum(Map<String, String> calls, Set<String> commands) {
        return commands.stream()
                .map(command -> calls.getOrDefault(CALLS + command, "calls=0,"))
                .mapToLong(line -> Long.parseLong(line.substring("calls=".length(), line.indexOf(','))))
                .sum();
    }

    @Override
    public long present(String prefix, int count) {
        long there = 0;
        for (int from = 0; from < count; from += BATCH) {
            there += redis.exists(IntStream.range(from, Math.min(count, from + BATCH))
                    .mapToObj(i -> prefix + i)
                    .toArray(String[]::new));
        }
        return there;
    }

    @Override
    public String version() {
        return "Redis " + info("server").getOrDefault("redis_version", "unknown");
    }

    @Override
    public boolean isEmpty() {
        return redis.dbsize() == 0;
    }

    @Override
    public void clear() {
        redis.flushdb();
    }

    @Override
    public void close() {
        client.shutdown();
    }
}
