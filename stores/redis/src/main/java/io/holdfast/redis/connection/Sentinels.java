package io.holdfast.redis.connection;

import io.holdfast.redis.connection.Succession.Known;
import io.lettuce.core.RedisURI;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.sentinel.api.StatefulRedisSentinelConnection;
import io.lettuce.core.sentinel.api.async.RedisSentinelAsyncCommands;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;

/**
 * The Sentinels of a group, which know which server is the master.
 *
 * <p>All Sentinels are asked at once. A {@link Succession} decides which of the first answers counts.
 *
 * <p>See <a href="https://redis.io/docs/latest/develop/reference/sentinel-clients/">Guidelines for Redis clients with support
 * for Redis Sentinel</a>.
 */
public final class Sentinels {

    private final Driver driver;
    private final RedisAddress.Group group;
    private final Succession succession;

    /**
     * Creates the Sentinels of a group.
     *
     * @param succession decides which answer counts
     */
    Sentinels(Driver driver, RedisAddress.Group group, Succession succession) {
        this.driver = driver;
        this.group = group;
        this.succession = succession;
    }

    /** A Sentinel that was asked. */
    private record Query(
            CompletableFuture<StatefulRedisSentinelConnection<String, String>> connection,
            CompletableFuture<Known> answer) {}

    /**
     * Returns the address with host and port of the master. Fails if no answer of a Sentinel counts.
     *
     * @param limit the time after which the answers that have arrived decide
     */
    CompletionStage<RedisURI> withMaster(RedisURI server, Duration limit) {
        List<Query> queries = group.sentinels().stream().map(this::ask).toList();
        return new FirstAnswers<>(
                        driver.timer, limit, queries.stream().map(Query::answer).toList())
                .present()
                .whenComplete((answers, error) -> queries.forEach(Sentinels::close))
                .thenApply(answers -> succession
                        .master(answers)
                        .orElseThrow(() -> new CompletionException(
                                new IOException("the Sentinels that answered still name the former master"))))
                .thenApply(master -> RedisURI.builder(server)
                        .withHost(master.host())
                        .withPort(master.port())
                        .build());
    }

    private Query ask(RedisURI sentinel) {
        CompletableFuture<StatefulRedisSentinelConnection<String, String>> connection =
                driver.client.connectSentinelAsync(StringCodec.UTF8, sentinel).toCompletableFuture();
        CompletableFuture<Known> answer = connection.thenCompose(this::known).toCompletableFuture();
        var unused = connection.thenRun(() -> {
            driver.opened();
            driver.timer.schedule(driver.longestConnect().toNanos(), () -> answer.cancel(false));
        });
        return new Query(connection, answer);
    }

    /**
     * Asks a Sentinel for the master. The epoch is requested before the address, because the Sentinel that leads a failover
     * reports the new epoch at once. Until the failover is over, it still reports the address of the old master.
     */
    private CompletionStage<Known> known(StatefulRedisSentinelConnection<String, String> connection) {
        RedisSentinelAsyncCommands<String, String> sentinel = connection.async();
        CompletionStage<Map<String, String>> master = sentinel.master(group.master());
        CompletionStage<SocketAddress> address = sentinel.getMasterAddrByName(group.master());
        return master.thenCombine(address, (state, found) -> {
            InetSocketAddress server = (InetSocketAddress) found;
            long epoch = Long.parseLong(state.getOrDefault("config-epoch", "0"));
            return new Known(server.getHostString(), server.getPort(), epoch);
        });
    }

    /** Closes the connection, even if it is made later. */
    private static void close(Query query) {
        var unused = query.connection().thenCompose(StatefulRedisSentinelConnection::closeAsync);
    }
}
