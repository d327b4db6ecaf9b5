package io.holdfast.redis.interop;

import io.holdfast.redis.script.RedissonNames;
import io.holdfast.redis.script.Session;
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
import java.util.stream.Collectors;
import java.util.stream.Stream;
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

    /** The names by their channels: x and {x} share one. */
    private final Map<String, Set<String>> subscribed = new ConcurrentHashMap<>();

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

    /** Whether this client hears what is published when the name is released. */
    boolean hears(String name) {
        return !subscribed.isEmpty() && subscribed.containsKey(channel(name));
    }

    private Set<String> names(String channel) {
        return subscribed.getOrDefault(channel, Set.of());
    }

    /** These were refused, and have places in the queue. */
    void waits(String name, Collection<TenureId> tenures) {
        long until = config.platform().nanoTime() + WAIT_NANOS;
        waiting.compute(name, (key, before) -> {
            Map<TenureId, Long> all = before == null ? new ConcurrentHashMap<>() : before;
            tenures.forEach(tenure -> all.put(tenure, until));
            return all;
        });
        if (!names(channel(name)).contains(name)) {
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
        Set<String> before = names(channel);
        if (!waiting.containsKey(name) || before.contains(name)) {
            return;
        }
        subscribed.put(
                channel, Stream.concat(before.stream(), Stream.of(name)).collect(Collectors.toUnmodifiableSet()));
        if (before.isEmpty()) {
            subscribe(channel);
            timer.schedule(LOOK_NANOS, () -> look(channel));
        } else {
            // it may have been released before it was one of them
            free(name);
        }
    }

    private void subscribe(String channel) {
        session.connection
                .get()
                .thenCompose(open -> open.async().subscribe(RedissonNames.mark(channel), channel))
                .whenComplete((nothing, error) -> {
                    // where the connection was lost the next one subscribes
                    if (error == null) {
                        names(channel).forEach(this::free);
                    } else if (error.getCause() instanceof RedisCommandExecutionException && !warned.getAndSet(true)) {
                        LOG.warn(
                                "Client {} is not notified when Redisson's clients release, and polls about once a second:"
                                        + " allow it to subscribe to {} ({})",
                                config.client().id(),
                                channel,
                                error.getCause().getMessage());
                    }
                });
    }

    private void look(String channel) {
        Set<String> before = names(channel);
        Set<String> still = before.stream().filter(this::isWaiting).collect(Collectors.toUnmodifiableSet());
        if (still.isEmpty()) {
            subscribed.remove(channel);
            var unused = session.connection
                    .get()
                    .thenCompose(open -> open.async().unsubscribe(RedissonNames.mark(channel), channel));
        } else {
            subscribed.put(channel, still);
            timer.schedule(LOOK_NANOS, () -> look(channel));
        }
        // somebody may have been refused since, and have found the name still there
        before.forEach(this::listen);
    }

    private boolean isWaiting(String name) {
        long now = config.platform().nanoTime();
        waiting.computeIfPresent(name, (key, all) -> {
            all.values().removeIf(until -> until - now < 0);
            return all.isEmpty() ? null : all;
        });
        return waiting.containsKey(name);
    }

    private void free(String name) {
        config.signals().accept(new Signal.Opened(name));
    }

    // ---- on the connection's thread

    @Override
    public void connected() {
        timer.schedule(0, () -> subscribed.keySet().forEach(this::subscribe));
    }

    @Override
    public void heard(String channel) {
        names(channel).forEach(this::heardOf);
    }

    private void heardOf(String name) {
        if (toBeTold.add(name)) {
            timer.schedule(Math.floorMod(config.platform().randomLong(), SPREAD_NANOS), () -> {
                toBeTold.remove(name);
                free(name);
            });
        }
    }
}
