package io.holdfast.redis;

import io.holdfast.spi.Platform;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.sentinel.api.StatefulRedisSentinelConnection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;

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

    Sentinels(RedisClient client, Platform.Timer timer, Address.Group group) {
        this.client = client;
        this.timer = timer;
        this.group = group;
    }

    /** A master as one Sentinel knows it; its epoch rises with each failover. */
    record Known(String host, int port, long epoch) {

        static Known of(Map<String, String> master) {
            return new Known(
                    master.getOrDefault("ip", ""),
                    Integer.parseInt(master.getOrDefault("port", "0")),
                    Long.parseLong(master.getOrDefault("config-epoch", "0")));
        }
    }

    /** The same with host and port of the master; fails with an answer of a Sentinel, if there is one, rather than by silence. */
    CompletionStage<RedisURI> withMaster(RedisURI server) {
        List<CompletableFuture<Known>> answers =
                group.sentinels().stream().map(this::ask).toList();
        CompletableFuture<Void> enough = new CompletableFuture<>();
        var unused = CompletableFuture.allOf(answers.toArray(CompletableFuture<?>[]::new))
                .whenComplete((nothing, error) -> enough.complete(null));
        for (CompletionStage<Known> answer : answers) {
            answer.thenAccept(known -> timer.schedule(MOMENT_NANOS, () -> enough.complete(null)));
        }
        return enough.thenApply(nothing -> latest(answers))
                .thenApply(master -> RedisURI.builder(server)
                        .withHost(master.host)
                        .withPort(master.port)
                        .build());
    }

    private CompletableFuture<Known> ask(RedisURI sentinel) {
        return client.connectSentinelAsync(StringCodec.UTF8, sentinel)
                .thenCompose(this::ask)
                .toCompletableFuture();
    }

    private CompletionStage<Known> ask(StatefulRedisSentinelConnection<String, String> connection) {
        return connection.async().master(group.master()).thenApply(Known::of).whenComplete((known, error) -> {
            CompletionStage<Void> unused = connection.closeAsync();
        });
    }

    static Known latest(List<CompletableFuture<Known>> answers) {
        return answers.stream()
                .filter(answer -> answer.isDone() && !answer.isCompletedExceptionally())
                .map(CompletableFuture::join)
                .max(Comparator.comparingLong(Known::epoch))
                .orElseThrow(() -> failure(answers));
    }

    private static CompletionException failure(List<CompletableFuture<Known>> answers) {
        return answers.stream()
                .map(answer -> answer.handle((known, error) -> error).join())
                .max(Comparator.comparing(Failures::isAnswer))
                .map(CompletionException::new)
                .orElseThrow();
    }
}
