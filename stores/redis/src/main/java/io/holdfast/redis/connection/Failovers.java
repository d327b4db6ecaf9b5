package io.holdfast.redis.connection;

import io.holdfast.spi.Platform;
import io.holdfast.support.Reconnecting;
import io.holdfast.support.Stages;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisURI;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.pubsub.RedisPubSubAdapter;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The failovers of a group, which each of its Sentinels reports when it learns of them: a message on the channel
 * {@code +switch-master}. A master that was frozen, and wakes after its successor was promoted, goes on as if nothing had happened
 * until a Sentinel demotes it, which takes ten seconds. The message arrives before it wakes.
 */
final class Failovers implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(Failovers.class);

    private static final String CHANNEL = "+switch-master";
    private static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** A receiver of the failovers. */
    interface Listener {

        /** Is told that a server has replaced another one; both as {@code host:port}. */
        void replaced(String before, String now);

        /** Is told that messages may have been missed. */
        void missed();
    }

    /** A connection to one Sentinel. */
    private final class Source {

        private final RedisURI sentinel;
        private final Reconnecting<StatefulRedisPubSubConnection<String, String>> connection;
        private volatile boolean listens;
        private volatile CompletionStage<String> ping = CompletableFuture.completedStage("");
        private volatile long pinged;

        Source(RedisURI sentinel) {
            this.sentinel = sentinel;
            connection = new Reconnecting<>(platform, timer, this::open, made -> listener.missed(), this::lost);
        }

        private CompletionStage<StatefulRedisPubSubConnection<String, String>> open() {
            return client.connectPubSubAsync(StringCodec.UTF8, sentinel)
                    .toCompletableFuture()
                    .thenCompose(this::subscribe)
                    .exceptionallyCompose(error -> Stages.failedAfter(timer, PAUSE_NANOS, error));
        }

        private CompletionStage<StatefulRedisPubSubConnection<String, String>> subscribe(
                StatefulRedisPubSubConnection<String, String> made) {
            made.addListener(new RedisPubSubAdapter<>() {
                @Override
                public void message(String channel, String message) {
                    received(message);
                }
            });
            made.addListener(new Disconnection(() -> connection.lost(made)));
            ping = CompletableFuture.completedStage("");
            return made.async().subscribe(CHANNEL).handle((done, error) -> {
                listens = error == null;
                if (error instanceof RedisCommandExecutionException) {
                    warnOnce(error);
                } else if (error != null) {
                    close(made);
                    throw new CompletionException(error);
                }
                return made;
            });
        }

        private void lost(StatefulRedisPubSubConnection<String, String> last) {
            listens = false;
            close(last);
        }

        /** Ends a connection that has failed, or has not answered for a command timeout. */
        private void check() {
            connection.now().ifPresent(open -> {
                CompletableFuture<String> last = ping.toCompletableFuture();
                boolean dead =
                        last.isDone() ? last.isCompletedExceptionally() : platform.nanoTime() - pinged >= limitNanos;
                if (dead) {
                    connection.lost(open);
                } else if (last.isDone()) {
                    pinged = platform.nanoTime();
                    ping = open.async().ping();
                }
            });
        }
    }

    private final RedisClient client;
    private final Platform platform;
    private final Platform.Timer timer;
    private final long limitNanos;
    private final String master;
    private final Listener listener;
    private final List<Source> sources;
    private final AtomicBoolean warned = new AtomicBoolean();

    /**
     * Creates the failovers of a group.
     *
     * @param limitNanos the time within which a Sentinel has to answer
     */
    Failovers(
            RedisClient client,
            Platform platform,
            Platform.Timer timer,
            long limitNanos,
            RedisAddress.Group group,
            Listener listener) {
        this.client = client;
        this.platform = platform;
        this.limitNanos = limitNanos;
        this.timer = timer;
        master = group.master();
        this.listener = listener;
        sources =
                group.sentinels().stream().map(sentinel -> new Source(sentinel)).toList();
    }

    /** Starts to listen, unless that has begun. */
    void start() {
        sources.forEach(source -> {
            var unused = source.connection.get();
        });
    }

    /** Ends the connections that are dead. Returns {@code true} if each Sentinel would report a failover. */
    boolean check() {
        sources.forEach(Source::check);
        return sources.stream().allMatch(source -> source.listens);
    }

    /** Reads a message: the name of the group, and host and port of the master before and now. */
    private void received(String message) {
        String[] words = message.split(" ", -1);
        if (words.length == 5 && words[0].equals(master)) {
            listener.replaced(place(words[1], words[2]), place(words[3], words[4]));
        }
    }

    private static String place(String host, String port) {
        return RedisAddress.place(RedisURI.builder()
                .withHost(host)
                .withPort(Integer.parseInt(port))
                .build());
    }

    private void warnOnce(Throwable error) {
        if (!warned.getAndSet(true)) {
            LOG.warn(
                    "The Sentinels of '{}' report no failover to this client, so it asks them instead: {}; allow the command"
                            + " subscribe and the channel {}",
                    master,
                    error.getMessage(),
                    CHANNEL);
        }
    }

    private static void close(StatefulRedisPubSubConnection<String, String> connection) {
        var unused = connection.closeAsync();
    }

    /** Stops making connections. The driver closes the present ones when it closes. */
    @Override
    public void close() {
        sources.forEach(source -> source.connection.close());
    }
}
