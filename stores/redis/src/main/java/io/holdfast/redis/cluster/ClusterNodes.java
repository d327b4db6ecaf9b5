package io.holdfast.redis.cluster;

import io.holdfast.redis.cluster.ClusterTopology.Node;
import io.holdfast.redis.connection.Driver;
import io.holdfast.redis.connection.RedisAddress;
import io.holdfast.redis.store.RedisStore;
import io.holdfast.spi.StoreConfig;
import io.lettuce.core.RedisURI;
import io.lettuce.core.cluster.SlotHash;
import java.time.Duration;
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
import java.util.function.BiFunction;
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
 *   <li>Slots, masters, ASK targets ({@code askTargets}) and pinned slots change on the timer thread only. Any thread may read the
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

    private static final int PROBES = 3;
    private static final int TIMEOUTS_PER_REFRESH = 5;
    private static final int MAX_STALE = 5;
    private static final long PAUSE_NANOS = 200_000_000;
    private static final int MAX_PAUSES = 10;

    private final StoreConfig config;
    private final RedisAddress cluster;
    private final Driver driver;
    private final TopologyProbe probe;
    private final BiFunction<Node, Function<Duration, CompletionStage<Boolean>>, RedisStore> opener;
    private final AtomicReferenceArray<@Nullable RedisStore> bySlot = new AtomicReferenceArray<>(SlotHash.SLOT_COUNT);
    private final AtomicReference<@Nullable CompletableFuture<Void>> underWay = new AtomicReference<>();
    private final AtomicBoolean refreshDue = new AtomicBoolean();
    private volatile Map<String, Master> masters = Map.of();
    private final Map<String, CompletionStage<Void>> probes = new HashMap<>();
    private final Map<String, AskTarget> askTargets = new HashMap<>();
    private final Map<Integer, Moved> moved = new HashMap<>();
    private volatile int pauses = 1;
    private long epoch;
    private int covered;
    private int staleRefreshes;

    /** A master and its store. */
    private record Master(Node node, RedisStore store) {}

    /** A node that was the target of ASK redirections, and the time of the last one. */
    private record AskTarget(RedisStore store, long nanos) {}

    /** The master that a slot is pinned to, and the time of the redirection. */
    private record Moved(Master to, long nanos) {}

    /**
     * Creates the nodes of a cluster.
     *
     * @param opener opens the store of a node with a question to other masters: whether it was replaced. A node without an id is an ASK
     *     target
     */
    ClusterNodes(
            StoreConfig config,
            RedisAddress cluster,
            Driver driver,
            BiFunction<Node, Function<Duration, CompletionStage<Boolean>>, RedisStore> opener) {
        this.config = config;
        this.cluster = cluster;
        this.driver = driver;
        this.opener = opener;
        probe = new TopologyProbe(config, cluster, driver);
        scheduleRefresh();
    }

    /** Returns the store of the slot's master; empty if no master is known to have it. */
    Optional<RedisStore> at(int slot) {
        return Optional.ofNullable(bySlot.get(slot));
    }

    /** Returns the stores of all masters. */
    Collection<RedisStore> all() {
        return masters.values().stream().map(Master::store).toList();
    }

    // ---- questions

    private void scheduleRefresh() {
        driver.timer.schedule(config.commandTimeout().toNanos() * TIMEOUTS_PER_REFRESH, () -> {
            if (!driver.isClosed()) {
                CompletionStage<Void> unused = refresh(0);
                scheduleRefresh();
            }
        });
    }

    /**
     * Records that something is wrong. The topology is refreshed soon, and again at growing intervals until all masters are
     * connected.
     */
    void refreshSoon() {
        if (!refreshDue.getAndSet(true)) {
            driver.timer.schedule(PAUSE_NANOS * pauses, () -> {
                refreshDue.set(false);
                if (!driver.isClosed()) {
                    var unused = refresh().whenComplete((nothing, error) -> refreshUntilConnected(error != null));
                }
            });
        }
    }

    private void refreshUntilConnected(boolean failed) {
        boolean isIncomplete = failed || all().stream().anyMatch(store -> !store.isConnected());
        pauses = isIncomplete ? Math.min(pauses * 2, MAX_PAUSES) : 1;
        if (isIncomplete) {
            refreshSoon();
        }
    }

    /** Asks which slots each node has, unless a refresh is under way. Fails if no node answers. */
    CompletionStage<Void> refresh() {
        return refresh(PROBES);
    }

    /**
     * Asks connected nodes, and some other nodes.
     *
     * @param more the number of others to ask; all of them are asked if no node is connected
     */
    private CompletionStage<Void> refresh(int more) {
        CompletableFuture<Void> own = new CompletableFuture<>();
        CompletableFuture<Void> other = underWay.compareAndExchange(null, own);
        if (other != null) {
            return other;
        }
        List<CompletableFuture<ClusterTopology>> answers = new ArrayList<>();
        sample(all().stream().filter(RedisStore::isConnected).toList(), PROBES)
                .forEach(store -> answers.add(probe.ask(store)));
        sample(otherAddresses(), answers.isEmpty() ? Integer.MAX_VALUE : more)
                .forEach(place -> answers.add(probe.ask(place.getHost(), place.getPort())));
        adoptLatest(answers, true).whenComplete((nothing, error) -> {
            underWay.set(null);
            if (error == null) {
                own.complete(null);
            } else {
                own.completeExceptionally(error);
            }
        });
        return own;
    }

    /**
     * Asks other masters whether a node has lost its slots to another one. The result is {@code false} if none answers.
     *
     * @param since the epoch in which the node was the master
     * @param limit the time after which the answers that have arrived decide
     */
    private CompletionStage<Boolean> isReplaced(Node node, long since, Duration limit) {
        List<RedisStore> others = masters.values().stream()
                .filter(master -> !master.node.id().equals(node.id()) && master.store.isConnected())
                .map(Master::store)
                .toList();
        List<CompletableFuture<ClusterTopology>> answers =
                sample(others, PROBES).stream().map(probe::ask).toList();
        return answers.isEmpty() || node.id().isEmpty()
                ? CompletableFuture.completedStage(false)
                : probe.latest(answers, ClusterTopology.latest(masters.keySet()), limit)
                        .handle((latest, error) ->
                                error == null && latest.epoch() > since && !latest.isOf(Set.of(node.id())));
    }

    private RedisStore open(Node node) {
        long since = epoch;
        return opener.apply(node, limit -> isReplaced(node, since, limit));
    }

    private <T> List<T> sample(List<T> all, int number) {
        List<T> shuffled = new ArrayList<>(all);
        Collections.shuffle(shuffled, new Random(config.platform().randomLong()));
        return shuffled.subList(0, Math.min(number, shuffled.size()));
    }

    /** Returns the addresses of nodes that are not connected and may know the topology. */
    private List<RedisURI> otherAddresses() {
        Set<String> connected = masters.values().stream()
                .filter(master -> master.store.isConnected())
                .map(master -> master.node.host() + ":" + master.node.port())
                .collect(Collectors.toSet());
        return Stream.concat(
                        cluster.nodes().stream(),
                        masters.values().stream()
                                .map(master -> cluster.node("", master.node.host(), master.node.port())
                                        .uri()))
                .filter(place -> !connected.contains(place.getHost() + ":" + place.getPort()))
                .distinct()
                .toList();
    }

    /**
     * Adopts the latest answer.
     *
     * @param isRefresh {@code true} for a refresh; {@code false} for a question to one node
     */
    private CompletionStage<Void> adoptLatest(List<CompletableFuture<ClusterTopology>> answers, boolean isRefresh) {
        return probe.latest(answers, ClusterTopology.latest(masters.keySet()), driver.longestConnect())
                .thenCompose(topology -> driver.schedule(0, () -> consider(topology, isRefresh)));
    }

    // ---- answers

    private void consider(ClusterTopology topology, boolean isRefresh) {
        boolean isStale = topology.epoch() < epoch
                || !topology.isOf(masters.keySet())
                || (!topology.sound() && topology.covered() < covered);
        if (isStale && isRefresh) {
            staleRefreshes++;
        }
        if (driver.isClosed() || (isStale && staleRefreshes < MAX_STALE)) {
            return;
        }
        staleRefreshes = 0;
        long now = config.platform().nanoTime();
        boolean later = topology.epoch() != epoch;
        moved.values()
                .removeIf(slot ->
                        later || now - slot.nanos > config.commandTimeout().toNanos());
        epoch = topology.epoch();
        covered = topology.covered();
        adopt(topology);
        askTargets.values().removeIf(target -> {
            boolean unused = now - target.nanos > config.commandTimeout().toNanos() * TIMEOUTS_PER_REFRESH;
            if (unused) {
                disconnectLater(target.store);
            }
            return unused;
        });
    }

    private void adopt(ClusterTopology topology) {
        Map<String, Master> next = new LinkedHashMap<>();
        AtomicReferenceArray<@Nullable RedisStore> slots = new AtomicReferenceArray<>(SlotHash.SLOT_COUNT);
        for (ClusterTopology.Range range : topology.ranges()) {
            Master master = next.computeIfAbsent(range.master().id(), id -> known(range.master()));
            for (int slot = range.from(); slot <= range.to(); slot++) {
                slots.set(slot, master.store);
            }
        }
        // a node named by a redirection is a master, even if other nodes do not know that yet
        moved.forEach((slot, pin) -> slots.set(slot, next.computeIfAbsent(pin.to.node.id(), id -> pin.to).store));
        for (int slot = 0; slot < SlotHash.SLOT_COUNT; slot++) {
            bySlot.set(slot, slots.get(slot));
        }
        masters.values().stream()
                .filter(master -> !next.containsValue(master))
                .forEach(master -> disconnectLater(master.store));
        masters = Collections.unmodifiableMap(next);
    }

    /**
     * Returns the master if it is known, and otherwise opens its store. A master whose address has changed keeps its store as
     * long as that store is connected.
     */
    private Master known(Node node) {
        return Optional.ofNullable(masters.get(node.id()))
                .filter(master -> master.node.equals(node) || master.store.isConnected())
                .orElseGet(() -> new Master(node, open(node)));
    }

    private void disconnectLater(RedisStore store) {
        driver.timer.schedule(config.commandTimeout().toNanos(), store::disconnect);
    }

    /** Pins a slot to the master that a redirection has named. */
    CompletionStage<Void> moved(int slot, String host, int port) {
        refreshSoon();
        return driver.schedule(0, () -> {
                    if (pin(slot, host, port)) {
                        return CompletableFuture.<Void>completedStage(null);
                    }
                    // many requests are redirected at once, and one probe is enough for all
                    return probes.computeIfAbsent(
                            host + ":" + port,
                            place -> adoptLatest(List.of(probe.ask(host, port)), false)
                                    .whenComplete((topology, error) -> driver.schedule(0, () -> probes.remove(place))));
                })
                .thenCompose(known -> known)
                .thenCompose(known -> driver.schedule(0, () -> pin(slot, host, port)))
                .thenAccept(pinned -> {});
    }

    private boolean pin(int slot, String host, int port) {
        Optional<Master> target = masterAt(host, port);
        target.ifPresent(master -> {
            moved.put(slot, new Moved(master, config.platform().nanoTime()));
            bySlot.set(slot, master.store);
        });
        return target.isPresent();
    }

    private Optional<Master> masterAt(String host, int port) {
        return masters.values().stream()
                .filter(master -> master.node.isAt(host, port))
                .findFirst();
    }

    /** Returns the store of the node at that address, which may have no slots yet. */
    CompletionStage<RedisStore> askTarget(String host, int port) {
        return driver.schedule(
                0,
                () -> masterAt(host, port).map(Master::store).orElseGet(() -> {
                    AskTarget target = askTargets.get(host + ":" + port);
                    RedisStore store = target == null ? open(new Node("", host, port)) : target.store;
                    askTargets.put(
                            host + ":" + port,
                            new AskTarget(store, config.platform().nanoTime()));
                    return store;
                }));
    }
}
