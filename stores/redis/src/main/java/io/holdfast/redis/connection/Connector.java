package io.holdfast.redis.connection;

import io.holdfast.spi.Platform;
import io.holdfast.spi.StoreConfig;
import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisConnectionStateAdapter;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiFunction;
import java.util.function.Supplier;

/** Makes connections to the server that takes locks, wherever it is now. */
public final class Connector {

    private static final long EARLY_NANOS = 5_000_000;
    private static final int BEATS_TO_A_LOOK = 5;

    private final StoreConfig config;
    private final RedisFailures failures;
    private final Driver driver;
    private final Platform.Timer timer;
    private final RedisURI uri;
    private final Optional<Sentinels> sentinels;
    private volatile boolean sharded;

    public Connector(StoreConfig config, RedisFailures failures, Driver driver) {
        this.config = config;
        this.failures = failures;
        this.driver = driver;
        timer = driver.timer;
        RedisAddress server = failures.server();
        uri = driver.prepared(server.uri());
        sentinels = server.group().map(group -> {
            group.sentinels().forEach(driver::prepared);
            return new Sentinels(driver.client, timer, group, config.connectTimeout());
        });
    }

    /**
     * Connects to the master and prepares the connection. Everything has one time limit, because a server may hang at any step.
     *
     * @param way how to open the connection
     * @param prepare what to do before the connection is used
     */
    public <C extends StatefulRedisConnection<String, String>, T> CompletionStage<T> connect(
            BiFunction<RedisClient, RedisURI, ? extends CompletionStage<C>> way,
            BiFunction<C, RedisURI, CompletionStage<T>> prepare) {
        CompletableFuture<T> attempt = new CompletableFuture<>();
        Platform.Task limit = timer.schedule(
                config.connectTimeout().toNanos(), () -> attempt.completeExceptionally(new TimeoutException()));
        master().thenCompose(server -> begun(way, server).thenCompose(made -> {
                    // a failed attempt closes its connection, even one that hangs until the time is up
                    var unused = attempt.whenComplete((ready, error) -> {
                        if (error != null) {
                            down(made);
                        }
                    });
                    return answering(made, new CompletableFuture<>())
                            .thenCompose(this::greeted)
                            .thenCompose(this::identified)
                            .thenCompose(ready -> prepare.apply(ready, server));
                }))
                .whenComplete((made, error) -> {
                    limit.cancel();
                    if (error == null) {
                        attempt.complete(made);
                    } else {
                        attempt.completeExceptionally(error);
                    }
                });
        return attempt;
    }

    /** Opens a connection, unless the driver is closed. Connecting through a closed driver would throw. */
    private <C> CompletionStage<C> begun(
            BiFunction<RedisClient, RedisURI, ? extends CompletionStage<C>> way, RedisURI server) {
        return driver.isEnded()
                ? CompletableFuture.failedStage(new IOException("it is closed"))
                : way.apply(driver.client, server);
    }

    private CompletionStage<RedisURI> master() {
        return sentinels.map(group -> group.withMaster(uri)).orElseGet(() -> CompletableFuture.completedStage(uri));
    }

    /** Returns whether the Sentinels name another server by now. If they do not answer, they do not. */
    private CompletionStage<Boolean> isElsewhere(RedisURI server) {
        return sentinels.isEmpty()
                ? CompletableFuture.completedStage(false)
                : master().handle((now, error) ->
                        error == null && !RedisAddress.place(now).equals(RedisAddress.place(server)));
    }

    /**
     * Completes when the server answers a ping, and fails while it is loading its data. Lettuce 7 may announce a connection too
     * early. The ping is then repeated.
     */
    private <C extends StatefulRedisConnection<String, String>> CompletionStage<C> answering(
            C made, CompletableFuture<C> ready) {
        CompletionStage<String> answer = made.async().ping();
        answer.whenComplete((pong, error) -> {
            if (error == null) {
                ready.complete(made);
            } else if (made.isOpen() && String.valueOf(error.getMessage()).startsWith("Currently not connected")) {
                timer.schedule(EARLY_NANOS, () -> answering(made, ready));
            } else {
                ready.completeExceptionally(error);
            }
        });
        return ready;
    }

    /** Fails if the server takes no locks. */
    private <C extends StatefulRedisConnection<String, String>> CompletionStage<C> greeted(C made) {
        return HelloReply.ask(made.async()).handle((hello, error) -> {
            if (error != null) {
                throw new CompletionException(error);
            }
            failures.objection(hello).ifPresent(objection -> {
                throw objection;
            });
            sharded = hello.hasShardChannels();
            return made;
        });
    }

    /** Returns whether the server that was connected to last can keep messages within a slot. */
    public boolean hasShardChannels() {
        return sharded;
    }

    /** Fails if another node of the cluster has this address by now. */
    private <C extends StatefulRedisConnection<String, String>> CompletionStage<C> identified(C made) {
        Optional<String> wanted = failures.server().id();
        return wanted.isEmpty()
                ? CompletableFuture.completedStage(made)
                : made.async().clusterMyId().thenApply(id -> {
                    if (!id.equals(wanted.get())) {
                        throw failures.anotherNode(id);
                    }
                    return made;
                });
    }

    /**
     * Monitors a connection that is in use, and calls {@code lost} in these cases:
     *
     * <ul>
     *   <li>the connection is cut
     *   <li>a heartbeat reports that the connection is unusable, or is not answered within twice the command timeout
     *   <li>the Sentinels name another server by now. A master that was partitioned from the others does not know that it was
     *       replaced (split brain)
     * </ul>
     *
     * @param place the server of the connection
     * @param beat sends a heartbeat; its answer is {@code false} if the connection is unusable
     * @param lost may be called more than once
     */
    public void keepWatch(
            StatefulRedisConnection<String, String> made,
            RedisURI place,
            Supplier<CompletionStage<Boolean>> beat,
            Runnable lost) {
        made.addListener(new RedisConnectionStateAdapter() {
            @Override
            public void onRedisDisconnected(RedisChannelHandler<?, ?> gone) {
                lost.run();
            }
        });
        AtomicInteger beats = new AtomicInteger();
        Supplier<CompletionStage<Boolean>> looking = () -> {
            if (beats.incrementAndGet() % BEATS_TO_A_LOOK == 0) {
                isElsewhere(place).thenAccept(elsewhere -> {
                    if (elsewhere) {
                        lost.run();
                    }
                });
            }
            return beat.get();
        };
        beat(made, looking, lost, CompletableFuture.completedStage(true), looking.get());
    }

    private void beat(
            StatefulRedisConnection<String, String> made,
            Supplier<CompletionStage<Boolean>> beat,
            Runnable lost,
            CompletionStage<Boolean> older,
            CompletionStage<Boolean> newer) {
        timer.schedule(config.commandTimeout().toNanos(), () -> {
            if (made.isOpen() && older.toCompletableFuture().getNow(false)) {
                beat(made, beat, lost, newer, beat.get());
            } else {
                lost.run();
            }
        });
    }

    public void down(StatefulRedisConnection<String, String> made) {
        CompletionStage<Void> unused = made.closeAsync();
    }
}
