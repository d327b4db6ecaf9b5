package io.holdfast.redis;

import io.holdfast.spi.StoreConfig;
import io.holdfast.spi.StoreException;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.async.RedisAsyncCommands;
import io.lettuce.core.codec.StringCodec;
import java.io.IOException;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Asks nodes of a cluster what they know of it. */
final class Scout {

    private final StoreConfig config;
    private final Address cluster;
    private final Failures failures;
    private final Driver driver;

    Scout(StoreConfig config, Address cluster, Driver driver) {
        this.config = config;
        this.cluster = cluster;
        this.driver = driver;
        failures = new Failures(cluster);
    }

    /** On its connection, which is there. */
    CompletableFuture<Told> ask(RedisStore store) {
        return store.session
                .connection
                .now()
                .map(open -> told(open.async(), store.host()))
                .orElseGet(() -> CompletableFuture.failedStage(new IOException("it is not connected")))
                .toCompletableFuture();
    }

    /** On a connection for this question alone. */
    CompletableFuture<Told> ask(String host, int port) {
        if (driver.isEnded()) {
            return CompletableFuture.failedFuture(new IOException("it is closed"));
        }
        RedisURI place = driver.prepared(cluster.node("", host, port).uri());
        CompletableFuture<StatefulRedisConnection<String, String>> connection =
                driver.client.connectAsync(StringCodec.UTF8, place).toCompletableFuture();
        CompletableFuture<Told> answer =
                connection.thenCompose(made -> greeted(made.async(), host)).toCompletableFuture();
        driver.timer.schedule(config.connectTimeout().toNanos(), () -> answer.cancel(false));
        var unused = answer.whenComplete((told, error) -> {
            var unusedEither = connection.thenCompose(StatefulRedisConnection::closeAsync);
        });
        return answer;
    }

    private CompletionStage<Told> greeted(RedisAsyncCommands<String, String> redis, String host) {
        return Greeting.ask(redis).thenCompose(greeting -> {
            Optional<StoreException> wrong = failures.topology(greeting);
            return wrong.isPresent() ? CompletableFuture.failedStage(wrong.get()) : told(redis, host);
        });
    }

    private static CompletionStage<Told> told(RedisAsyncCommands<String, String> redis, String host) {
        return redis.clusterInfo().thenCombine(redis.clusterSlots(), (info, slots) -> Told.of(info, slots, host));
    }

    /** The last of them in that order. Fails if nobody answers in time. */
    CompletionStage<Told> latest(List<CompletableFuture<Told>> answers, Comparator<Told> order) {
        return new Survey<>(driver.timer, config.connectTimeout(), answers).latest(order);
    }
}
