package io.holdfast.redis.script;

import io.lettuce.core.RedisFuture;
import io.lettuce.core.pubsub.RedisPubSubAdapter;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.IntConsumer;

/**
 * The shard channels that a connection to a node of a cluster is subscribed to, one for each slot in use. A subscription
 * begins with the first request for a name of the slot. It ends with the connection, or when the node gives the slot away.
 *
 * <p>A message on a shard channel stays at the node, whereas one on a plain channel is passed on to all nodes.
 *
 * <p>A command that follows the subscription on the same connection is carried out after it. So the thread that subscribes
 * does not wait for the reply.
 *
 * <p>See <a href="https://redis.io/docs/latest/develop/pubsub/#sharded-pubsub">sharded Pub/Sub</a>.
 */
final class ShardChannels {

    private final StatefulRedisPubSubConnection<String, String> connection;
    private final Consumer<Throwable> failed;
    private final Map<String, RedisFuture<Void>> heard = new ConcurrentHashMap<>();

    /**
     * Creates the channels of a connection.
     *
     * @param messages receives each message, with its channel
     * @param given receives each slot that the node has given away
     * @param failed receives the error of each subscription that failed
     */
    ShardChannels(
            StatefulRedisPubSubConnection<String, String> connection,
            BiConsumer<String, String> messages,
            IntConsumer given,
            Consumer<Throwable> failed) {
        this.connection = connection;
        this.failed = failed;
        connection.addListener(new RedisPubSubAdapter<>() {
            @Override
            public void smessage(String channel, String message) {
                messages.accept(channel, message);
            }

            @Override
            public void sunsubscribed(String channel, long count) {
                if (heard.remove(channel) != null) {
                    given.accept(KeyLayout.slot(channel));
                }
            }
        });
    }

    /**
     * Subscribes to the channel if it is not subscribed yet. Completes when the subscription is in effect, or has failed.
     *
     * @param behind whether the next command is sent on the same connection. Then the thread that subscribes need not wait.
     *     Every other thread waits, because the driver's event loop may overtake a subscription that is still queued
     */
    CompletionStage<Void> listen(String channel, boolean behind) {
        RedisFuture<Void> known = heard.get(channel);
        if (known != null) {
            return done(known);
        }
        AtomicBoolean mine = new AtomicBoolean();
        RedisFuture<Void> begun = heard.computeIfAbsent(channel, key -> {
            mine.set(true);
            return connection.async().ssubscribe(key);
        });
        if (mine.get()) {
            begun.whenComplete((nothing, error) -> {
                if (error != null) {
                    heard.remove(channel, begun);
                    failed.accept(error);
                }
            });
        }
        return mine.get() && behind ? CompletableFuture.completedStage(null) : done(begun);
    }

    private static CompletionStage<Void> done(RedisFuture<Void> subscription) {
        return subscription.exceptionally(error -> null);
    }
}
