package io.holdfast.redis.connection;

import io.holdfast.spi.Platform;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.sentinel.api.StatefulRedisSentinelConnection;
import io.lettuce.core.sentinel.api.async.RedisSentinelAsyncCommands;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * Asks the Sentinels of a group which server is the master.
 *
 * <p>All are asked at once. Of the answers that come within a moment the one of the
 * latest failover counts: a Sentinel that was cut off from the others still tells of the master before.
 *
 * <p>See <a href="https://redis.io/docs/latest/develop/reference/sentinel-clients/">Guidelines for Redis clients with support
 * for Redis Sentinel</a>.
 */
public final class Sentinels {

    public static final Comparator<Known> LATEST = Comparator.comparingLong(Known::epoch);

    private final RedisClient client;
    private final Platform.Timer timer;
    private final RedisAddress.Group group;
    private final Duration limit;

    /** @param limit for the first answer */
    Sentinels(RedisClient client, Platform.Timer timer, RedisAddress.Group group, Duration limit) {
        this.client = client;
        this.timer = timer;
        this.group = group;
        this.limit = limit;
    }

    /** A master as one Sentinel knows it; its epoch rises with each failover. */
    public record Known(String host, int port, long epoch) {}

    /** One Sentinel, as it is asked. */
    private record Asked(
            CompletableFuture<StatefulRedisSentinelConnection<String, String>> connection,
            CompletableFuture<Known> answer) {}

    /** The same with host and port of the master. */
    CompletionStage<RedisURI> withMaster(RedisURI server) {
        List<Asked> asked = group.sentinels().stream().map(this::ask).toList();
        return new FirstAnswers<>(
                        timer, limit, asked.stream().map(Asked::answer).toList())
                .latest(LATEST)
                .whenComplete((master, error) -> asked.forEach(Sentinels::close))
                .thenApply(master -> RedisURI.builder(server)
                        .withHost(master.host)
                        .withPort(master.port)
                        .build());
    }

    private Asked ask(RedisURI sentinel) {
        CompletableFuture<StatefulRedisSentinelConnection<String, String>> connection =
                client.connectSentinelAsync(StringCodec.UTF8, sentinel).toCompletableFuture();
        return new Asked(connection, connection.thenCompose(this::known).toCompletableFuture());
    }

    /**
     * The epoch is asked for before the address: the Sentinel that leads a failover tells of the new epoch at once, but of the
     * old master beside it until the failover is over.
     */
    private CompletionStage<Known> known(StatefulRedisSentinelConnection<String, String> connection) {
        RedisSentinelAsyncCommands<String, String> sentinel = connection.async();
        CompletionStage<Map<String, String>> master = sentinel.master(group.master());
        CompletionStage<SocketAddress> address = sentinel.getMasterAddrByName(group.master());
        return master.thenCombine(address, (known, where) -> {
            InetSocketAddress place = (InetSocketAddress) where;
            long epoch = Long.parseLong(known.getOrDefault("config-epoch", "0"));
            return new Known(place.getHostString(), place.getPort(), epoch);
        });
    }

    /** Also one that comes later. */
    private static void close(Asked asked) {
        var unused = asked.connection().thenCompose(StatefulRedisSentinelConnection::closeAsync);
    }
}
