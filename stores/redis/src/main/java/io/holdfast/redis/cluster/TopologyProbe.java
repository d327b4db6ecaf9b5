package io.holdfast.redis.cluster;

import io.holdfast.redis.connection.Driver;
import io.holdfast.redis.connection.FirstAnswers;
import io.holdfast.redis.connection.HelloReply;
import io.holdfast.redis.connection.RedisAddress;
import io.holdfast.redis.connection.RedisFailures;
import io.holdfast.redis.store.RedisStore;
import io.holdfast.spi.StoreConfig;
import io.holdfast.spi.StoreException;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.async.RedisAsyncCommands;
import io.lettuce.core.codec.StringCodec;
import java.io.IOException;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Asks nodes of a cluster for the topology. */
final class TopologyProbe {

    private final StoreConfig config;
    private final RedisAddress cluster;
    private final RedisFailures failures;
    private final Driver driver;

    TopologyProbe(StoreConfig config, RedisAddress cluster, Driver driver) {
        this.config = config;
        this.cluster = cluster;
        this.driver = driver;
        failures = new RedisFailures(cluster);
    }

    /** Asks a node on its present connection. */
    CompletableFuture<ClusterTopology> ask(RedisStore store) {
        return store.session
                .connection
                .now()
                .map(open -> topology(open.async(), store.host()))
                .orElseGet(() -> CompletableFuture.failedStage(new IOException("it is not connected")))
                .toCompletableFuture();
    }

    /** Asks a node on a connection for this question alone. */
    CompletableFuture<ClusterTopology> ask(String host, int port) {
        Optional<IOException> obstacle = driver.obstacle();
        if (obstacle.isPresent()) {
            return CompletableFuture.failedFuture(obstacle.get());
        }
        RedisURI address = driver.prepared(cluster.node("", host, port).uri());
        CompletableFuture<StatefulRedisConnection<String, String>> connection =
                driver.client.connectAsync(StringCodec.UTF8, address).toCompletableFuture();
        CompletableFuture<ClusterTopology> answer =
                connection.thenCompose(made -> checkHello(made.async(), host)).toCompletableFuture();
        driver.timer.schedule(driver.longestConnect().toNanos(), () -> answer.cancel(false));
        var unusedLimit = connection.thenRun(() -> {
            driver.opened();
            driver.timer.schedule(config.connectTimeout().toNanos(), () -> answer.cancel(false));
        });
        var unused = answer.whenComplete((topology, error) -> {
            var unusedEither = connection.thenCompose(StatefulRedisConnection::closeAsync);
        });
        return answer;
    }

    private CompletionStage<ClusterTopology> checkHello(RedisAsyncCommands<String, String> redis, String host) {
        return HelloReply.ask(redis).thenCompose(hello -> {
            Optional<StoreException> wrong = failures.topology(hello);
            return wrong.isPresent() ? CompletableFuture.failedStage(wrong.get()) : topology(redis, host);
        });
    }

    private static CompletionStage<ClusterTopology> topology(RedisAsyncCommands<String, String> redis, String host) {
        return redis.clusterInfo()
                .thenCombine(redis.clusterSlots(), (info, slots) -> ClusterTopology.of(info, slots, host));
    }

    /**
     * Returns the last answer in the given order. Fails if no node answers in time.
     *
     * @param limit the time after which the answers that have arrived decide
     */
    CompletionStage<ClusterTopology> latest(
            List<CompletableFuture<ClusterTopology>> answers, Comparator<ClusterTopology> order, Duration limit) {
        return new FirstAnswers<>(driver.timer, limit, answers).latest(order);
    }
}
