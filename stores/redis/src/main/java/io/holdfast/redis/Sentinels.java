package io.holdfast.redis;

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
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeoutException;

/**
 * Asks the Sentinels of a group which server is the master.
 *
 * <p>All are asked at once, so that one that hangs holds up nobody. Of the answers that come within a moment the one of the
 * latest failover counts: a Sentinel that was cut off from the others still tells of the master before.
 *
 * <p>See <a href="https://redis.io/docs/latest/develop/reference/sentinel-clients/">Guidelines for Redis clients with support
 * for Redis Sentinel</a>.
 */
final class Sentinels {

    private static final long MOMENT_NANOS = 100_000_000;

    private final RedisClient client;
    private final Platform.Timer timer;
    private final Address.Group group;
    private final Duration limit;

    /** @param limit for the first answer */
    Sentinels(RedisClient client, Platform.Timer timer, Address.Group group, Duration limit) {
        this.client = client;
        this.timer = timer;
        this.group = group;
        this.limit = limit;
    }

    /** A master as one Sentinel knows it; its epoch rises with each failover. */
    record Known(String host, int port, long epoch) {}

    /** One Sentinel, as it is asked. */
    private record Asked(
            CompletableFuture<StatefulRedisSentinelConnection<String, String>> connection,
            CompletableFuture<Known> answer) {}

    /** The same with host and port of the master. */
    CompletionStage<RedisURI> withMaster(RedisURI server) {
        List<Asked> asked = group.sentinels().stream().map(this::ask).toList();
        List<CompletableFuture<Known>> answers =
                asked.stream().map(Asked::answer).toList();
        CompletableFuture<Void> enough = new CompletableFuture<>();
        timer.schedule(limit.toNanos(), () -> enough.complete(null));
        var unused = CompletableFuture.allOf(answers.toArray(CompletableFuture<?>[]::new))
                .whenComplete((nothing, error) -> enough.complete(null));
        for (CompletionStage<Known> answer : answers) {
            answer.thenAccept(known -> timer.schedule(MOMENT_NANOS, () -> enough.complete(null)));
        }
        return enough.thenApply(nothing -> latest(answers))
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

    static Known latest(List<CompletableFuture<Known>> answers) {
        return answers.stream()
                .filter(answer -> answer.isDone() && !answer.isCompletedExceptionally())
                .map(CompletableFuture::join)
                .max(Comparator.comparingLong(Known::epoch))
                .orElseThrow(() -> failure(answers));
    }

    /** What a Sentinel has said is believed if no other one may say something else later. */
    private static CompletionException failure(List<CompletableFuture<Known>> answers) {
        return new CompletionException(answers.stream()
                .map(Sentinels::error)
                .min(Comparator.comparing(Failures::isAnswer))
                .orElseThrow());
    }

    private static Throwable error(CompletableFuture<Known> answer) {
        return answer.isDone() ? answer.handle((known, error) -> error).join() : new TimeoutException();
    }
}
