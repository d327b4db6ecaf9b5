package io.holdfast.redis.cluster;

import io.holdfast.redis.cluster.ClusterTopology.Node;
import io.holdfast.redis.connection.Driver;
import io.holdfast.redis.connection.RedisAddress;
import io.holdfast.redis.store.RedisStore;
import io.holdfast.spi.StoreConfig;
import io.lettuce.core.RedisURI;
import io.lettuce.core.cluster.SlotHash;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The masters of a cluster, and which slots each keeps.
 *
 * <p>Nodes are asked for it at the start, every five command timeouts, and when there is reason to: a connection was lost, a request
 * failed, a node said that a slot has moved. Several are asked at once, and {@link ClusterTopology#latest} says who is believed.
 * What tells of less than what is known, or of other masters, is believed only when nobody has said anything else for a while. What the former keeper of
 * a slot says of it is believed at once, and for a command timeout more than what is told in the same epoch, since others may
 * hear of it a second later.
 *
 * <p>Each master has a store of its own, with its connection, its clock, and its channel. It is connected to when it is heard of,
 * so that messages come from wherever a slot may go. One that keeps nothing any more is left, after what was sent there had time
 * to be answered.
 *
 * <p>All that changes does so on the timer's thread.
 */
final class ClusterNodes {

    private static final int ASKED = 3;
    private static final int TIMEOUTS_TO_A_LOOK = 5;
    private static final int TIMES_REFUSED = 5;
    private static final long PAUSE_NANOS = 200_000_000;
    private static final int LONGEST_PAUSES = 10;

    private final StoreConfig config;
    private final RedisAddress cluster;
    private final Driver driver;
    private final TopologyProbe probe;
    private final Function<Node, RedisStore> opener;
    private final AtomicReferenceArray<@Nullable RedisStore> bySlot = new AtomicReferenceArray<>(SlotHash.SLOT_COUNT);
    private final AtomicReference<@Nullable CompletableFuture<Void>> underWay = new AtomicReference<>();
    private final AtomicBoolean doubted = new AtomicBoolean();
    private volatile Map<String, Keeper> keepers = Map.of();
    private final Map<String, CompletionStage<Void>> asking = new HashMap<>();
    private final Map<String, Guest> guests = new HashMap<>();
    private final Map<Integer, Moved> moved = new HashMap<>();
    private volatile int pauses = 1;
    private long epoch;
    private int covered;
    private int refused;

    /** A master, and its store. */
    private record Keeper(Node node, RedisStore store) {}

    /** A node that is asked for single keys, and when it was last. */
    private record Guest(RedisStore store, long nanos) {}

    /** Where a slot is since then. */
    private record Moved(Keeper to, long nanos) {}

    /** @param opener makes the store of a node; of one that is a guest if it has no id */
    ClusterNodes(StoreConfig config, RedisAddress cluster, Driver driver, Function<Node, RedisStore> opener) {
        this.config = config;
        this.cluster = cluster;
        this.driver = driver;
        this.opener = opener;
        probe = new TopologyProbe(config, cluster, driver);
        lookLater();
    }

    /** Who keeps the slot; empty if nobody is known to. */
    Optional<RedisStore> at(int slot) {
        return Optional.ofNullable(bySlot.get(slot));
    }

    /** Those of all masters. */
    Collection<RedisStore> all() {
        return keepers.values().stream().map(Keeper::store).toList();
    }

    // ---- asking

    private void lookLater() {
        driver.timer.schedule(config.commandTimeout().toNanos() * TIMEOUTS_TO_A_LOOK, () -> {
            if (!driver.isEnded()) {
                CompletionStage<Void> unused = look(0);
                lookLater();
            }
        });
    }

    /** Something is wrong somewhere: looks soon, and again, ever more seldom, until all masters are connected to. */
    void doubt() {
        if (!doubted.getAndSet(true)) {
            driver.timer.schedule(PAUSE_NANOS * pauses, () -> {
                doubted.set(false);
                if (!driver.isEnded()) {
                    var unused = look().whenComplete((nothing, error) -> doubtStill(error != null));
                }
            });
        }
    }

    private void doubtStill(boolean failed) {
        boolean away = failed || all().stream().anyMatch(store -> !store.isConnected());
        pauses = away ? Math.min(pauses * 2, LONGEST_PAUSES) : 1;
        if (away) {
            doubt();
        }
    }

    /** Asks who keeps what; one question at a time. Fails if nobody answers. */
    CompletionStage<Void> look() {
        return look(ASKED);
    }

    /** @param more how many are asked beside those that are connected to; all that may know if there are none of these */
    private CompletionStage<Void> look(int more) {
        CompletableFuture<Void> mine = new CompletableFuture<>();
        CompletableFuture<Void> other = underWay.compareAndExchange(null, mine);
        if (other != null) {
            return other;
        }
        List<CompletableFuture<ClusterTopology>> answers = new ArrayList<>();
        some(all().stream().filter(RedisStore::isConnected).toList(), ASKED)
                .forEach(store -> answers.add(probe.ask(store)));
        some(others(), answers.isEmpty() ? Integer.MAX_VALUE : more)
                .forEach(place -> answers.add(probe.ask(place.getHost(), place.getPort())));
        believed(answers, true).whenComplete((nothing, error) -> {
            underWay.set(null);
            if (error == null) {
                mine.complete(null);
            } else {
                mine.completeExceptionally(error);
            }
        });
        return mine;
    }

    private <T> List<T> some(List<T> all, int number) {
        List<T> shuffled = new ArrayList<>(all);
        Collections.shuffle(shuffled, new Random(config.platform().randomLong()));
        return shuffled.subList(0, Math.min(number, shuffled.size()));
    }

    /** Where else somebody may know. */
    private List<RedisURI> others() {
        Set<String> connected = keepers.values().stream()
                .filter(keeper -> keeper.store.isConnected())
                .map(keeper -> keeper.node.host() + ":" + keeper.node.port())
                .collect(Collectors.toSet());
        return Stream.concat(
                        cluster.nodes().stream(),
                        keepers.values().stream()
                                .map(keeper -> cluster.node("", keeper.node.host(), keeper.node.port())
                                        .uri()))
                .filter(place -> !connected.contains(place.getHost() + ":" + place.getPort()))
                .distinct()
                .toList();
    }

    /** @param look whether all were asked who may know */
    private CompletionStage<Void> believed(List<CompletableFuture<ClusterTopology>> answers, boolean look) {
        return probe.latest(answers, ClusterTopology.latest(keepers.keySet()))
                .thenCompose(topology -> driver.soon(0, () -> believe(topology, look)));
    }

    // ---- what follows from the answers

    private void believe(ClusterTopology topology, boolean look) {
        boolean less = topology.epoch() < epoch
                || !topology.isOf(keepers.keySet())
                || (!topology.sound() && topology.covered() < covered);
        if (less && look) {
            refused++;
        }
        if (driver.isEnded() || (less && refused < TIMES_REFUSED)) {
            return;
        }
        refused = 0;
        long now = config.platform().nanoTime();
        boolean later = topology.epoch() != epoch;
        moved.values()
                .removeIf(slot ->
                        later || now - slot.nanos > config.commandTimeout().toNanos());
        epoch = topology.epoch();
        covered = topology.covered();
        adopt(topology);
        guests.values().removeIf(guest -> {
            boolean unused = now - guest.nanos > config.commandTimeout().toNanos() * TIMEOUTS_TO_A_LOOK;
            if (unused) {
                leave(guest.store);
            }
            return unused;
        });
    }

    private void adopt(ClusterTopology topology) {
        Map<String, Keeper> masters = new LinkedHashMap<>();
        AtomicReferenceArray<@Nullable RedisStore> slots = new AtomicReferenceArray<>(SlotHash.SLOT_COUNT);
        for (ClusterTopology.Range range : topology.ranges()) {
            Keeper keeper = masters.computeIfAbsent(range.master().id(), id -> known(range.master()));
            for (int slot = range.from(); slot <= range.to(); slot++) {
                slots.set(slot, keeper.store);
            }
        }
        // who is said to have a slot by the one before is a master, though others have not heard
        moved.forEach((slot, pin) -> slots.set(slot, masters.computeIfAbsent(pin.to.node.id(), id -> pin.to).store));
        for (int slot = 0; slot < SlotHash.SLOT_COUNT; slot++) {
            bySlot.set(slot, slots.get(slot));
        }
        keepers.values().stream()
                .filter(keeper -> !masters.containsValue(keeper))
                .forEach(keeper -> leave(keeper.store));
        keepers = Collections.unmodifiableMap(masters);
    }

    /** One that is called by another name by now is the same, as long as there is a connection. */
    private Keeper known(Node node) {
        return Optional.ofNullable(keepers.get(node.id()))
                .filter(keeper -> keeper.node.equals(node) || keeper.store.isConnected())
                .orElseGet(() -> new Keeper(node, opener.apply(node)));
    }

    private void leave(RedisStore store) {
        driver.timer.schedule(config.commandTimeout().toNanos(), store::disconnect);
    }

    /** A node said so that had the slot. */
    CompletionStage<Void> moved(int slot, String host, int port) {
        doubt();
        return driver.soon(0, () -> {
                    if (pin(slot, host, port)) {
                        return CompletableFuture.<Void>completedStage(null);
                    }
                    // many are sent there at once
                    return asking.computeIfAbsent(
                            host + ":" + port,
                            place -> believed(List.of(probe.ask(host, port)), false)
                                    .whenComplete((topology, error) -> driver.soon(0, () -> asking.remove(place))));
                })
                .thenCompose(known -> known)
                .thenCompose(known -> driver.soon(0, () -> pin(slot, host, port)))
                .thenAccept(pinned -> {});
    }

    private boolean pin(int slot, String host, int port) {
        Optional<Keeper> there = keeper(host, port);
        there.ifPresent(keeper -> {
            moved.put(slot, new Moved(keeper, config.platform().nanoTime()));
            bySlot.set(slot, keeper.store);
        });
        return there.isPresent();
    }

    private Optional<Keeper> keeper(String host, int port) {
        return keepers.values().stream()
                .filter(keeper -> keeper.node.isAt(host, port))
                .findFirst();
    }

    /** The node at that place, which may keep nothing yet. */
    CompletionStage<RedisStore> visit(String host, int port) {
        return driver.soon(
                0,
                () -> keeper(host, port).map(Keeper::store).orElseGet(() -> {
                    Guest guest = guests.get(host + ":" + port);
                    RedisStore store = guest == null ? opener.apply(new Node("", host, port)) : guest.store;
                    guests.put(
                            host + ":" + port,
                            new Guest(store, config.platform().nanoTime()));
                    return store;
                }));
    }
}
