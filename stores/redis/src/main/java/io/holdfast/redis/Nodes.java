package io.holdfast.redis;

import io.holdfast.redis.Told.Node;
import io.holdfast.spi.Platform;
import io.holdfast.spi.StoreConfig;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.async.RedisAsyncCommands;
import io.lettuce.core.cluster.SlotHash;
import io.lettuce.core.codec.StringCodec;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The masters of a cluster, and which slots each keeps.
 *
 * <p>Nodes are asked for it at the start, every five command timeouts, and when there is reason to: a connection was lost, a request
 * failed, a node said that a slot has moved. Several are asked at once, and who knows of the latest epoch is believed, as a node that is
 * cut off from the others does not know that it was replaced. What the former keeper of a slot says of it is believed at once, and for a
 * command timeout more than what is told in the same epoch, since others may hear of it a second later.
 *
 * <p>Each master has a store of its own, with its connection, its clock, and its channel. It is connected to when it is heard of,
 * so that messages come from wherever a slot may go. One that keeps nothing any more is left, after what was sent there had time
 * to be answered.
 *
 * <p>All that changes happens on the timer's thread.
 */
final class Nodes {

    private static final int ASKED = 5;
    private static final int TIMEOUTS_TO_A_LOOK = 5;
    private static final long PAUSE_NANOS = 200_000_000;

    private final StoreConfig config;
    private final Address cluster;
    private final Failures failures;
    private final Driver driver;
    private final Function<Node, RedisStore> opener;
    private final AtomicReferenceArray<@Nullable RedisStore> bySlot = new AtomicReferenceArray<>(SlotHash.SLOT_COUNT);
    private final AtomicReference<@Nullable CompletableFuture<Void>> underWay = new AtomicReference<>();
    private final AtomicBoolean doubted = new AtomicBoolean();
    private volatile Map<Node, RedisStore> stores = Map.of();
    private final Map<Node, RedisStore> guests = new HashMap<>();
    private final Map<Integer, Moved> moved = new HashMap<>();
    private long epoch;

    /** Where a slot is since then. */
    private record Moved(RedisStore keeper, long nanos) {}

    /** @param opener makes the store of a node */
    Nodes(StoreConfig config, Address cluster, Driver driver, Function<Node, RedisStore> opener) {
        this.config = config;
        this.cluster = cluster;
        this.driver = driver;
        this.opener = opener;
        failures = new Failures(cluster);
        cluster.nodes().forEach(driver::prepared);
        lookLater();
    }

    /** Who keeps the slot; empty if nobody is known to. */
    Optional<RedisStore> at(int slot) {
        return Optional.ofNullable(bySlot.get(slot));
    }

    /** Those of all masters. */
    Collection<RedisStore> all() {
        return stores.values();
    }

    // ---- asking

    private void lookLater() {
        timer().schedule(config.commandTimeout().toNanos() * TIMEOUTS_TO_A_LOOK, () -> {
            if (!driver.isEnded()) {
                CompletionStage<Void> unused = look();
                lookLater();
            }
        });
    }

    /** Something is wrong somewhere: looks soon, and again until all masters are connected to. */
    void doubt() {
        if (!doubted.getAndSet(true)) {
            timer().schedule(PAUSE_NANOS, () -> {
                doubted.set(false);
                if (!driver.isEnded()) {
                    var unused = look().whenComplete((nothing, error) -> {
                        if (error != null || all().stream().anyMatch(store -> !store.isConnected())) {
                            doubt();
                        }
                    });
                }
            });
        }
    }

    /** Asks who keeps what; one question at a time. Fails if nobody answers. */
    CompletionStage<Void> look() {
        CompletableFuture<Void> mine = new CompletableFuture<>();
        CompletableFuture<Void> other = underWay.compareAndExchange(null, mine);
        if (other != null) {
            return other;
        }
        ask(someNodes()).whenComplete((nothing, error) -> {
            underWay.set(null);
            if (error == null) {
                mine.complete(null);
            } else {
                mine.completeExceptionally(error);
            }
        });
        return mine;
    }

    private List<RedisURI> someNodes() {
        List<RedisURI> known = new ArrayList<>(Stream.concat(
                        cluster.nodes().stream(), stores.keySet().stream().map(node -> place(node.host(), node.port())))
                .distinct()
                .toList());
        Collections.shuffle(known, new Random(config.platform().randomLong()));
        return known.subList(0, Math.min(ASKED, known.size()));
    }

    private RedisURI place(String host, int port) {
        return driver.prepared(cluster.node(host, port).uri());
    }

    private CompletionStage<Void> ask(List<RedisURI> places) {
        Duration limit = config.connectTimeout();
        List<CompletableFuture<Told>> answers = places.stream().map(this::ask).toList();
        return new Survey<>(timer(), limit, answers).latest(Told.LATEST).thenCompose(this::onTimer);
    }

    private CompletionStage<Void> onTimer(Told told) {
        CompletableFuture<Void> done = new CompletableFuture<>();
        timer().schedule(0, () -> {
            believe(told);
            done.complete(null);
        });
        return done;
    }

    private CompletableFuture<Told> ask(RedisURI place) {
        if (driver.isEnded()) {
            return CompletableFuture.failedFuture(new IOException("it is closed"));
        }
        CompletableFuture<StatefulRedisConnection<String, String>> connection =
                driver.client.connectAsync(StringCodec.UTF8, place).toCompletableFuture();
        CompletableFuture<Told> answer =
                connection.thenCompose(made -> told(made.async(), place)).toCompletableFuture();
        timer().schedule(config.connectTimeout().toNanos(), () -> answer.cancel(false));
        var unused = answer.whenComplete((told, error) -> {
            var closing = connection.thenCompose(StatefulRedisConnection::closeAsync);
        });
        return answer;
    }

    private CompletionStage<Told> told(RedisAsyncCommands<String, String> redis, RedisURI place) {
        return Greeting.ask(redis).thenCompose(greeting -> {
            var wrong = failures.topology(greeting);
            return wrong.isPresent()
                    ? CompletableFuture.failedStage(wrong.get())
                    : redis.clusterInfo()
                            .thenCombine(redis.clusterSlots(), (info, slots) -> Told.of(info, slots, place.getHost()));
        });
    }

    // ---- what follows from the answers

    private void believe(Told told) {
        if (told.epoch() < epoch || driver.isEnded()) {
            return;
        }
        boolean later = told.epoch() > epoch;
        long now = config.platform().nanoTime();
        moved.values()
                .removeIf(slot ->
                        later || now - slot.nanos > config.commandTimeout().toNanos());
        epoch = told.epoch();
        Map<Node, RedisStore> masters = new LinkedHashMap<>();
        AtomicReferenceArray<@Nullable RedisStore> keepers = new AtomicReferenceArray<>(SlotHash.SLOT_COUNT);
        for (Told.Range range : told.ranges()) {
            RedisStore store = masters.computeIfAbsent(range.master(), this::known);
            for (int slot = range.from(); slot <= range.to(); slot++) {
                keepers.set(slot, store);
            }
        }
        moved.forEach((slot, to) -> keepers.set(slot, to.keeper));
        for (int slot = 0; slot < SlotHash.SLOT_COUNT; slot++) {
            bySlot.set(slot, keepers.get(slot));
        }
        stores.forEach((node, store) -> {
            if (!masters.containsKey(node)) {
                leave(store);
            }
        });
        stores = Collections.unmodifiableMap(masters);
        masters.keySet().stream()
                .map(node -> guests.remove(new Node("", node.host(), node.port())))
                .filter(Objects::nonNull)
                .forEach(this::leave);
    }

    private void leave(RedisStore store) {
        timer().schedule(config.commandTimeout().toNanos(), store::disconnect);
    }

    private RedisStore known(Node node) {
        RedisStore store = stores.get(node);
        return store == null ? opener.apply(node) : store;
    }

    /** A node said so that had the slot. */
    CompletionStage<Void> moved(int slot, String host, int port) {
        CompletableFuture<Boolean> known = new CompletableFuture<>();
        timer().schedule(0, () -> {
            Optional<RedisStore> there = at(host, port);
            there.ifPresent(store -> {
                moved.put(slot, new Moved(store, config.platform().nanoTime()));
                bySlot.set(slot, store);
            });
            known.complete(there.isPresent());
        });
        doubt();
        return known.thenCompose(is -> is ? known.thenAccept(x -> {}) : ask(List.of(place(host, port))));
    }

    /** The node at that place, which may keep nothing yet. */
    CompletionStage<RedisStore> visit(String host, int port) {
        CompletableFuture<RedisStore> there = new CompletableFuture<>();
        timer().schedule(
                        0,
                        () -> there.complete(at(host, port)
                                .orElseGet(() -> guests.computeIfAbsent(new Node("", host, port), opener))));
        return there;
    }

    private Optional<RedisStore> at(String host, int port) {
        return stores.entrySet().stream()
                .filter(each ->
                        each.getKey().host().equals(host) && each.getKey().port() == port)
                .map(Map.Entry::getValue)
                .findFirst();
    }

    private Platform.Timer timer() {
        return driver.timer;
    }
}
