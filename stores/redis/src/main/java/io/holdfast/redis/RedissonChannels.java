package io.holdfast.redis;

import io.holdfast.spi.Platform;
import io.holdfast.spi.Signal;
import io.holdfast.spi.StoreConfig;
import io.holdfast.spi.TenureId;
import io.lettuce.core.RedisCommandExecutionException;
import java.util.Collection;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.UnaryOperator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Listens on Redisson's channels of the names that tenures of this client wait for.
 *
 * <p>A channel is subscribed to at the first refusal, and kept until nobody waits at a look once a second, so that names
 * that are contended all the time do not cost two commands for each wait. A release may come before the subscription is
 * there; so the name is asked for again then. Subscriptions change on the timer's thread alone, since two of different
 * threads could be sent in the wrong order.
 *
 * <p>Along with a channel goes its mark, by one command: scripts count those who listen on the one without the other.
 *
 * <p>All clients hear each message. A waiter of Redisson has to wake a thread before it asks, so ours would always be
 * faster: they ask after a random time of up to 2 ms.
 */
final class RedissonChannels implements Session.Neighbour {

    private static final Logger LOG = LoggerFactory.getLogger(RedissonChannels.class);

    private static final long LOOK_NANOS = 1_000_000_000;
    private static final long SPREAD_NANOS = 2_000_000;

    /** As long as the server keeps a place that is not asked for again. */
    private static final long WAIT_NANOS = 60_000_000_000L;

    private final StoreConfig config;
    private final Session session;
    private final UnaryOperator<String> channels;
    private final Platform.Timer timer;

    /** By name, and until when unless they are refused again. */
    private final Map<String, Map<TenureId, Long>> waiting = new ConcurrentHashMap<>();

    /** The names by their channels. */
    private final Map<String, String> subscribed = new ConcurrentHashMap<>();

    private final Set<String> toBeTold = ConcurrentHashMap.newKeySet();
    private final AtomicBoolean warned = new AtomicBoolean();

    /** Of locks of one kind, by how their channels are called. */
    RedissonChannels(StoreConfig config, Session session, UnaryOperator<String> channels) {
        this.config = config;
        this.session = session;
        this.channels = channels;
        timer = session.timer();
    }

    private String channel(String name) {
        return channels.apply(config.keyPrefix() + name);
    }

    boolean listensFor(String name) {
        return !subscribed.isEmpty() && subscribed.containsKey(channel(name));
    }

    /** These were refused, and have places in the queue. */
    void waits(String name, Collection<TenureId> tenures) {
        long until = config.platform().nanoTime() + WAIT_NANOS;
        waiting.compute(name, (key, before) -> {
            Map<TenureId, Long> all = before == null ? new ConcurrentHashMap<>() : before;
            tenures.forEach(tenure -> all.put(tenure, until));
            return all;
        });
        if (!listensFor(name)) {
            timer.schedule(0, () -> listen(name));
        }
    }

    /** These wait no more. */
    void ends(String name, Collection<TenureId> tenures) {
        if (!waiting.isEmpty()) {
            waiting.computeIfPresent(name, (key, all) -> {
                tenures.forEach(all::remove);
                return all.isEmpty() ? null : all;
            });
        }
    }

    // ---- on the timer's thread

    private void listen(String name) {
        String channel = channel(name);
        if (waiting.containsKey(name) && subscribed.put(channel, name) == null) {
            subscribe(channel, name);
            timer.schedule(LOOK_NANOS, () -> look(channel, name));
        }
    }

    private void subscribe(String channel, String name) {
        session.connection
                .get()
                .thenCompose(open -> open.async().subscribe(RedissonNames.mark(channel), channel))
                .whenComplete((nothing, error) -> {
                    // where the connection was lost the next one subscribes
                    if (error == null) {
                        free(name);
                    } else if (error.getCause() instanceof RedisCommandExecutionException && !warned.getAndSet(true)) {
                        LOG.warn(
                                "Client {} does not hear when Redisson's clients release, and asks about once a second:"
                                        + " allow it to subscribe to {}",
                                config.client().id(),
                                channel,
                                error.getCause());
                    }
                });
    }

    private void look(String channel, String name) {
        long now = config.platform().nanoTime();
        waiting.computeIfPresent(name, (key, all) -> {
            all.values().removeIf(until -> until - now < 0);
            return all.isEmpty() ? null : all;
        });
        if (waiting.containsKey(name)) {
            timer.schedule(LOOK_NANOS, () -> look(channel, name));
        } else {
            subscribed.remove(channel);
            var unused = session.connection
                    .get()
                    .thenCompose(open -> open.async().unsubscribe(RedissonNames.mark(channel), channel));
            // somebody may have been refused since, and have found the channel still there
            listen(name);
        }
    }

    private void free(String name) {
        config.signals().accept(new Signal.Opened(name));
    }

    // ---- on the connection's thread

    @Override
    public void connected() {
        timer.schedule(0, () -> subscribed.forEach(this::subscribe));
    }

    @Override
    public void heard(String channel) {
        String name = subscribed.get(channel);
        if (name != null && toBeTold.add(name)) {
            timer.schedule(Math.floorMod(config.platform().randomLong(), SPREAD_NANOS), () -> {
                toBeTold.remove(name);
                free(name);
            });
        }
    }
}
