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
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The failovers of a group, which each of its Sentinels reports when it learns of them: a message on the channel
 * {@code +switch-master}. The Sentinel that leads the failover sends it only when all replicas follow the new master, and before that
 * one on the channel {@code +promoted-slave}. A master that was frozen, and wakes after its successor was promoted, goes on as if
 * nothing had happened until a Sentinel demotes it, which takes ten seconds. The message arrives before it wakes.
 */
final class Failovers implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(Failovers.class);

    private static final String SWITCHED = "+switch-master";
    private static final String PROMOTED = "+promoted-slave";

    /** The name of the group, and the address of the master before and now. */
    private static final Pattern SWITCH =
            Pattern.compile("(?<group>\\S+) (?<oldHost>\\S+) (?<oldPort>\\d{1,5}) (?<host>\\S+) (?<port>\\d{1,5})");

    /** The replica that was promoted, the name of the group, and the address of the master before. */
    private static final Pattern PROMOTION = Pattern.compile(
            "slave \\S+ (?<host>\\S+) (?<port>\\d{1,5}) @ (?<group>\\S+) (?<oldHost>\\S+) (?<oldPort>\\d{1,5})");

    private static final int HIGHEST_PORT = 65_535;
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
                    received(channel, message);
                }
            });
            made.addListener(new Disconnection(() -> connection.lost(made)));
            ping = CompletableFuture.completedStage("");
            CompletableFuture<Void> subscribed =
                    made.async().subscribe(SWITCHED, PROMOTED).toCompletableFuture();
            timer.schedule(limitNanos, () -> subscribed.completeExceptionally(new TimeoutException()));
            return subscribed.handle((done, error) -> {
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

    private void received(String channel, String message) {
        Replacement.read(channel, message)
                .filter(replacement -> replacement.group().equals(master))
                .ifPresent(replacement -> listener.replaced(replacement.before(), replacement.now()));
    }

    /**
     * A message of a Sentinel.
     *
     * @param group the group of servers
     * @param before the former master, as {@code host:port}
     * @param now the master
     */
    record Replacement(String group, String before, String now) {

        /** Reads a message; empty if it has another form. */
        static Optional<Replacement> read(String channel, String message) {
            Matcher found = (channel.equals(PROMOTED) ? PROMOTION : SWITCH).matcher(message);
            return found.matches() && isPort(found.group("oldPort")) && isPort(found.group("port"))
                    ? Optional.of(new Replacement(
                                    found.group("group"),
                                    place(found.group("oldHost"), found.group("oldPort")),
                                    place(found.group("host"), found.group("port"))))
                            .filter(replacement -> !replacement.before.equals(replacement.now))
                    : Optional.empty();
        }

        private static boolean isPort(String digits) {
            int number = Integer.parseInt(digits);
            return number > 0 && number <= HIGHEST_PORT;
        }
    }

    private static String place(String host, String port) {
        return RedisAddress.place(host, Integer.parseInt(port));
    }

    private void warnOnce(Throwable error) {
        if (!warned.getAndSet(true)) {
            LOG.warn(
                    "The Sentinels of '{}' report no failover to this client, so it asks them instead: {}; allow the command"
                            + " subscribe and the channels {} and {}",
                    master,
                    error.getMessage(),
                    SWITCHED,
                    PROMOTED);
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
