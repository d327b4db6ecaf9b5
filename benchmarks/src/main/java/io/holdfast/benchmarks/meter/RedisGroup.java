package io.holdfast.benchmarks.meter;

import io.holdfast.embedded.redis.RedisServer;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/** Independent Redis servers for quorum locks. A minority of them can be taken away; the others are measured. */
public final class RedisGroup implements ServerMeter {

    private final List<RedisServer> servers = new ArrayList<>();
    private final List<ServerMeter> meters = new ArrayList<>();

    private RedisGroup() {}

    /** Starts the servers. */
    public static RedisGroup start(int count) {
        RedisGroup group = new RedisGroup();
        try {
            for (int i = 0; i < count; i++) {
                RedisServer server = RedisServer.start();
                group.servers.add(server);
                group.meters.add(new RedisMeter(server.uri()));
            }
        } catch (RuntimeException e) {
            group.close();
            throw e;
        }
        return group;
    }

    /** Returns the URIs of all servers, joined by blanks. */
    public String uris() {
        return servers.stream().map(RedisServer::uri).collect(Collectors.joining(" "));
    }

    /** Kills or freezes the largest minority. */
    public void take(Consumer<RedisServer> away) {
        for (int i = 0; i < (servers.size() - 1) / 2; i++) {
            meters.remove(0).close();
            away.accept(servers.get(i));
        }
    }

    @Override
    public Reading read() {
        return meters.stream().map(ServerMeter::read).reduce(new Reading(0, 0, 0, 0), Reading::plus);
    }

    @Override
    public long present(String prefix, int count) {
        return meters.stream().mapToLong(meter -> meter.present(prefix, count)).sum();
    }

    @Override
    public String version() {
        return meters.get(0).version();
    }

    @Override
    public boolean isEmpty() {
        return meters.stream().allMatch(ServerMeter::isEmpty);
    }

    @Override
    public void clear() {
        meters.forEach(ServerMeter::clear);
    }

    @Override
    public void close() {
        meters.forEach(ServerMeter::close);
        servers.forEach(RedisServer::close);
    }
}
