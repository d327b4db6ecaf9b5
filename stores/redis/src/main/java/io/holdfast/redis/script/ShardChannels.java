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
 * The shard channels that a connection to a node of a cluster listens to, one for each slot of which it was asked for a name: from the
 * first request on, until the connection ends or the node gives the slot away.
 *
 * <p>A message on them stays at the node, where one on a plain channel is passed on to all nodes. What comes behind the subscription
 * on the connection is done when it stands, so who begins it does not wait for it.
 *
 * <p>See <a href="https://redis.io/docs/latest/develop/pubsub/#sharded-pubsub">sharded Pub/Sub</a>.
 */
final class ShardChannels {

    private final StatefulRedisPubSubConnection<String, String> connection;
    private final Consumer<Throwable> failed;
    private final Map<String, RedisFuture<Void>> heard = new ConcurrentHashMap<>();

    /**
     * Of this connection.
     *
     * @param messages told of each message, with its channel
     * @param given told of each slot that the node has given away
     * @param failed told of a subscription that failed
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
     * Listens to the channel, if it does not yet; done when it does, or when that failed.
     *
     * @param behind whether what waits for it is sent on the same connection: then who begins it need not wait. Others do, as the
     *     thread that reads the connection may overtake them there
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
