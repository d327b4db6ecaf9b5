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
 * begins with the first request for a name of the slot. It ends with the connection, or when the slot moves to another node.
 *
 * <p>A message on a shard channel stays at the node. A message on a plain channel is forwarded to all nodes.
 *
 * <p>The server executes the commands of a connection in order. So a thread that subscribes, and then sends a command on the same
 * connection, need not wait for the reply to the subscription.
 *
 * <p>See <a href="https://redis.io/docs/latest/develop/pubsub/#sharded-pubsub">sharded Pub/Sub</a>.
 */
final class ShardChannels {

    private final StatefulRedisPubSubConnection<String, String> connection;
    private final Consumer<Throwable> failed;
    private final Map<String, RedisFuture<Void>> subscriptions = new ConcurrentHashMap<>();

    /**
     * Creates the channels of a connection.
     *
     * @param messages receives each message, with its channel
     * @param moved receives each slot that the node has lost
     * @param failed receives the error of each subscription that failed
     */
    ShardChannels(
            StatefulRedisPubSubConnection<String, String> connection,
            BiConsumer<String, String> messages,
            IntConsumer moved,
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
                if (subscriptions.remove(channel) != null) {
                    moved.accept(KeyLayout.slot(channel));
                }
            }
        });
    }

    /**
     * Subscribes to the channel if it is not subscribed yet. Completes when the subscription is in effect, or has failed.
     *
     * @param followed {@code true} if the next command is sent on the same connection. Then the thread that subscribes need not
     *     wait. Every other thread waits, because the driver may send its command before a subscription that is still queued
     */
    CompletionStage<Void> listen(String channel, boolean followed) {
        RedisFuture<Void> present = subscriptions.get(channel);
        if (present != null) {
            return done(present);
        }
        AtomicBoolean isNew = new AtomicBoolean();
        RedisFuture<Void> subscription = subscriptions.computeIfAbsent(channel, key -> {
            isNew.set(true);
            return connection.async().ssubscribe(key);
        });
        if (isNew.get()) {
            subscription.whenComplete((nothing, error) -> {
                if (error != null) {
                    subscriptions.remove(channel, subscription);
                    failed.accept(error);
                }
            });
        }
        return isNew.get() && followed ? CompletableFuture.completedStage(null) : done(subscription);
    }

    private static CompletionStage<Void> done(RedisFuture<Void> subscription) {
        return subscription.exceptionally(error -> null);
    }
}
