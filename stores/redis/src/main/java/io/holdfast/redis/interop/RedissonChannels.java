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
 * Subscriptions to Redisson's channels of the names that tenures of this client wait for.
 *
 * <h2>Invariants</h2>
 *
 * <ol>
 *   <li>Subscriptions are changed on the timer's thread only. Commands of different threads could be sent in the wrong order,
 *       and a name would be left without its subscription.
 *   <li>A name is requested again when its subscription is in effect, because the client did not receive a release before that
 *       (lost wake-up).
 *   <li>A channel and its mark are subscribed to by one command. So the number of listeners of the channel, less the number of
 *       listeners of the mark, is the number of Redisson's clients.
 * </ol>
 *
 * <p>The client subscribes to a channel at the first refusal. It unsubscribes when a check, once a second, finds no waiter. So a
 * name under constant contention does not cost two commands for each wait.
 *
 * <p>All clients receive each message. A client of Redisson wakes a thread before it requests the lock, so our clients would
 * always be faster. Therefore they request the lock after a random time of up to 2 ms.
 */
final class RedissonChannels implements Session.Neighbour {

    private static final Logger LOG = LoggerFactory.getLogger(RedissonChannels.class);

    private static final long CHECK_NANOS = 1_000_000_000;
    private static final long SPREAD_NANOS = 2_000_000;

    /** The time for which the server keeps a position that is not refreshed. */
    private static final long WAIT_NANOS = 60_000_000_000L;

    private final StoreConfig config;
    private final Session session;
    private final UnaryOperator<String> channels;
    private final Platform.Timer timer;

    /** The waiting tenures of each name, with the time at which each is dropped unless it is refused again. */
    private final Map<String, Map<TenureId, Long>> waiting = new ConcurrentHashMap<>();

    /** The names of each channel. The names x and {x} share one. */
    private final Map<String, Set<String>> subscribed = new ConcurrentHashMap<>();

    private final Set<String> pending = ConcurrentHashMap.newKeySet();
    private final AtomicBoolean warned = new AtomicBoolean();

    /**
     * Creates the subscriptions for one kind of lock.
     *
     * @param channels returns the channel of a lock
     */
    RedissonChannels(StoreConfig config, Session session, UnaryOperator<String> channels) {
        this.config = config;
        this.session = session;
        this.channels = channels;
        timer = session.timer();
    }

    private String channel(String name) {
        return channels.apply(config.keyPrefix() + name);
    }

    /** Returns {@code true} if this client receives the message that is published when the name is released. */
    boolean receives(String name) {
        return !subscribed.isEmpty() && subscribed.containsKey(channel(name));
    }

    private Set<String> names(String channel) {
        return subscribed.getOrDefault(channel, Set.of());
    }

    /** Adds tenures that were refused, and have positions in the queue. */
    void addWaiters(String name, Collection<TenureId> tenures) {
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

    /** Removes tenures that no longer wait. */
    void removeWaiters(String name, Collection<TenureId> tenures) {
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
            timer.schedule(CHECK_NANOS, () -> check(channel));
        } else {
            // lost wake-up: the name may have been released before it was added to the channel
            signal(name);
        }
    }

    private void subscribe(String channel) {
        session.connection
                .get()
                .thenCompose(open -> open.async().subscribe(RedissonNames.mark(channel), channel))
                .whenComplete((nothing, error) -> {
                    // if the connection was lost, the next connection subscribes
                    if (error == null) {
                        names(channel).forEach(this::signal);
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

    private void check(String channel) {
        Set<String> before = names(channel);
        Set<String> still = before.stream().filter(this::isWaiting).collect(Collectors.toUnmodifiableSet());
        if (still.isEmpty()) {
            subscribed.remove(channel);
            var unused = session.connection
                    .get()
                    .thenCompose(open -> open.async().unsubscribe(RedissonNames.mark(channel), channel));
        } else {
            subscribed.put(channel, still);
            timer.schedule(CHECK_NANOS, () -> check(channel));
        }
        // lost wake-up: a tenure that was refused in the meantime may have relied on the old subscription
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

    private void signal(String name) {
        config.signals().accept(new Signal.Opened(name));
    }

    // ---- on the connection's thread

    @Override
    public void connected() {
        timer.schedule(0, () -> subscribed.keySet().forEach(this::subscribe));
    }

    @Override
    public void received(String channel) {
        names(channel).forEach(this::signalLater);
    }

    private void signalLater(String name) {
        if (pending.add(name)) {
            timer.schedule(Math.floorMod(config.platform().randomLong(), SPREAD_NANOS), () -> {
                pending.remove(name);
                signal(name);
            });
        }
    }
}
