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

/** Makes connections to a server that takes locks, wherever that is now. */
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
     * Connects to the master, in one of the ways that the client has, and prepares the connection; all within the time that
     * there is for it, as a server may hang at any moment.
     */
    public <C extends StatefulRedisConnection<String, String>, T> CompletionStage<T> connect(
            BiFunction<RedisClient, RedisURI, ? extends CompletionStage<C>> way,
            BiFunction<C, RedisURI, CompletionStage<T>> prepare) {
        CompletableFuture<T> attempt = new CompletableFuture<>();
        Platform.Task limit = timer.schedule(
                config.connectTimeout().toNanos(), () -> attempt.completeExceptionally(new TimeoutException()));
        master().thenCompose(server -> begun(way, server).thenCompose(made -> {
                    // one that hangs is closed at the end of its time
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

    /** A driver that is closed meanwhile complains of who comes then. */
    private <C> CompletionStage<C> begun(
            BiFunction<RedisClient, RedisURI, ? extends CompletionStage<C>> way, RedisURI server) {
        return driver.isEnded()
                ? CompletableFuture.failedStage(new IOException("it is closed"))
                : way.apply(driver.client, server);
    }

    private CompletionStage<RedisURI> master() {
        return sentinels.map(group -> group.withMaster(uri)).orElseGet(() -> CompletableFuture.completedStage(uri));
    }

    /** Whether the Sentinels name another server than this one by now. They may not answer; then it is not. */
    private CompletionStage<Boolean> isElsewhere(RedisURI server) {
        return sentinels.isEmpty()
                ? CompletableFuture.completedStage(false)
                : master().handle((now, error) ->
                        error == null && !RedisAddress.place(now).equals(RedisAddress.place(server)));
    }

    /** A server that is loading its data has no answer yet; and Lettuce 7 may be too early with a connection. */
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

    /** One that takes no locks is of no use. */
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

    /** Whether messages can be kept in their slot, by what the server said that was connected to last. */
    public boolean hasShardChannels() {
        return sharded;
    }

    /** An address may be that of another node by now. */
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
     * Looks after a connection that is in use: calls {@code lost} when it is cut, when the answer to a beat is that it is of no use,
     * when one stays out for twice as long as any request is waited for, and when the Sentinels name another server by now. One that
     * was cut off from the others does not know that it is no master any more.
     *
     * @param place to which it was made
     * @param beat asks something; false if the connection is of no use
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
