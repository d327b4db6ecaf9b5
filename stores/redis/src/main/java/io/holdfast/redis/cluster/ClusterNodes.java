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
 * The masters of a cluster, and the slots that each of them has.
 *
 * <h2>Invariants</h2>
 *
 * <ol>
 *   <li>Slots, masters, ASK targets ({@code guests}) and pinned slots change on the timer thread only. Any thread may read the
 *       slots and the masters.
 *   <li>At most one topology refresh is under way.
 *   <li>Every known master has a store with its own connection, clock and channels, and is connected as soon as it is known, so
 *       messages arrive wherever a slot may move.
 *   <li>A redirection to a known master is adopted at once. It pins the slot for a command timeout, or until a topology of
 *       another epoch is adopted, because other nodes can learn of the move a second later and must not undo it.
 *   <li>A topology is <em>stale</em> if its epoch is lower than the known one, if it has no master in common with the known
 *       ones, or if its node considers the cluster unhealthy and it covers fewer slots. A stale topology is adopted only after
 *       five refreshes in a row without a better one, because the cluster may have been rebuilt.
 * </ol>
 *
 * <p>Nodes are asked at the start, every five command timeouts, and when something is wrong: a connection was lost, a request
 * failed, or a node said that a slot has moved. Several nodes are asked at once, and {@link ClusterTopology#latest} decides
 * which answer is adopted. A master without slots is disconnected after a command timeout, in which earlier requests can be
 * answered.
 *
 * <p>See <a href="https://redis.io/docs/latest/operate/oss_and_stack/reference/cluster-spec/">Redis cluster specification</a>.
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

    /** A master and its store. */
    private record Keeper(Node node, RedisStore store) {}

    /** A node that received ASK redirections, and the time of the last one. */
    private record Guest(RedisStore store, long nanos) {}

    /** The master that a slot is pinned to, and since when. */
    private record Moved(Keeper to, long nanos) {}

    /**
     * Creates the nodes of a cluster.
     *
     * @param opener opens the store of a node. A node without an id is an ASK target
     */
    ClusterNodes(StoreConfig config, RedisAddress cluster, Driver driver, Function<Node, RedisStore> opener) {
        this.config = config;
        this.cluster = cluster;
        this.driver = driver;
        this.opener = opener;
        probe = new TopologyProbe(config, cluster, driver);
        lookLater();
    }

    /** Returns the store of the slot's master; empty if no master is known to have it. */
    Optional<RedisStore> at(int slot) {
        return Optional.ofNullable(bySlot.get(slot));
    }

    /** Returns the stores of all masters. */
    Collection<RedisStore> all() {
        return keepers.values().stream().map(Keeper::store).toList();
    }

    // ---- questions

    private void lookLater() {
        driver.timer.schedule(config.commandTimeout().toNanos() * TIMEOUTS_TO_A_LOOK, () -> {
            if (!driver.isEnded()) {
                CompletionStage<Void> unused = look(0);
                lookLater();
            }
        });
    }

    /**
     * Records that something is wrong. The topology is refreshed soon, and again at growing intervals until all masters are
     * connected.
     */
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

    /** Asks which slots each node has, unless a refresh is under way. Fails if no node answers. */
    CompletionStage<Void> look() {
        return look(ASKED);
    }

    /**
     * Asks connected nodes, and some others.
     *
     * @param more the number of others to ask; all of them are asked if no node is connected
     */
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

    /** Returns the addresses of nodes that are not connected and may know the topology. */
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

    /**
     * Adopts the latest answer.
     *
     * @param look {@code true} for a refresh; {@code false} for a question to one node
     */
    private CompletionStage<Void> believed(List<CompletableFuture<ClusterTopology>> answers, boolean look) {
        return probe.latest(answers, ClusterTopology.latest(keepers.keySet()))
                .thenCompose(topology -> driver.soon(0, () -> believe(topology, look)));
    }

    // ---- answers

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
        // a node named by a redirection is a master, even if other nodes have not heard of it
        moved.forEach((slot, pin) -> slots.set(slot, masters.computeIfAbsent(pin.to.node.id(), id -> pin.to).store));
        for (int slot = 0; slot < SlotHash.SLOT_COUNT; slot++) {
            bySlot.set(slot, slots.get(slot));
        }
        keepers.values().stream()
                .filter(keeper -> !masters.containsValue(keeper))
                .forEach(keeper -> leave(keeper.store));
        keepers = Collections.unmodifiableMap(masters);
    }

    /**
     * Returns the master if it is known, and opens it otherwise. A master whose address has changed remains the same as long as
     * it is connected.
     */
    private Keeper known(Node node) {
        return Optional.ofNullable(keepers.get(node.id()))
                .filter(keeper -> keeper.node.equals(node) || keeper.store.isConnected())
                .orElseGet(() -> new Keeper(node, opener.apply(node)));
    }

    private void leave(RedisStore store) {
        driver.timer.schedule(config.commandTimeout().toNanos(), store::disconnect);
    }

    /** Notes that the previous master of a slot has redirected it. */
    CompletionStage<Void> moved(int slot, String host, int port) {
        doubt();
        return driver.soon(0, () -> {
                    if (pin(slot, host, port)) {
                        return CompletableFuture.<Void>completedStage(null);
                    }
                    // many requests are redirected at once, and one question is enough for all
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

    /** Returns the store of the node at that address, which may have no slots yet. */
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
