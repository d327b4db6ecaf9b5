package io.holdfast.redis.cluster;

import io.holdfast.LatchCount;
import io.holdfast.LockReport;
import io.holdfast.SemaphoreReport;
import io.holdfast.redis.connection.Driver;
import io.holdfast.redis.connection.Redirect;
import io.holdfast.redis.connection.RedisAddress;
import io.holdfast.redis.connection.RedisFailures;
import io.holdfast.redis.script.KeyLayout;
import io.holdfast.redis.store.ClientRegistry;
import io.holdfast.redis.store.RedisStore;
import io.holdfast.redis.store.ServerRecords;
import io.holdfast.spi.Acquire;
import io.holdfast.spi.Capabilities;
import io.holdfast.spi.Change;
import io.holdfast.spi.CounterStore;
import io.holdfast.spi.LatchReport;
import io.holdfast.spi.LockStore;
import io.holdfast.spi.PermitReport;
import io.holdfast.spi.Release;
import io.holdfast.spi.Renew;
import io.holdfast.spi.ServerClock;
import io.holdfast.spi.StoreConfig;
import io.holdfast.spi.StoreException;
import io.holdfast.spi.TenureId;
import io.holdfast.support.Stages;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import java.util.function.ToLongFunction;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The store of a cluster, which keeps each name at the master of its slot.
 *
 * <h2>Invariants</h2>
 *
 * <ol>
 *   <li>The {@code notAfter} of a request is a time of the first node's clock, and has no meaning at another node. So a
 *       redirected request is sent with a {@code notAfter} in the past. The other node refuses it as late. Its reply has that
 *       node's time, and the engine sends a new request with it. So no late duplicate is applied after the time that the engine
 *       assumes.
 *   <li>Each reply sets the clock of the node that sent it, and no other clock.
 * </ol>
 */
public final class ClusterStore implements LockStore, CounterStore, ClientRegistry.Records {

    private static final Logger LOG = LoggerFactory.getLogger(ClusterStore.class);

    private static final long CLOSE_NANOS = 500_000_000;
    private static final long PAUSE_NANOS = 20_000_000;
    private static final long RECORD_NANOS = 200_000_000;
    private static final long PAST = 0;

    private final StoreConfig config;
    private final RedisAddress address;
    private final RedisFailures failures;
    private final KeyLayout layout;
    private final Driver driver;
    private final ClientRegistry registry;
    private final ClusterNodes nodes;
    private final MigratingSlot migratingSlot;
    private final ServerClock unknownClock = new ServerClock();
    private final AtomicBoolean started;
    private final AtomicBoolean closed = new AtomicBoolean();

    public ClusterStore(StoreConfig config, RedisAddress address, Driver driver) {
        this.config = config;
        this.address = address;
        failures = new RedisFailures(address);
        layout = new KeyLayout(config.keyPrefix(), "");
        this.driver = driver;
        registry = new ClientRegistry(config, layout, this);
        started = new AtomicBoolean(config.lazy());
        nodes = new ClusterNodes(config, address, driver, this::open);
        migratingSlot = new MigratingSlot(nodes, config.platform());
    }

    /** Connects to all masters, and waits for the connections. Some masters may be unreachable, but not all. */
    public void connect() {
        Optional<Throwable> error = driver.failureOfFirst(
                () -> nodes.refresh()
                        .thenCompose(nothing ->
                                Stages.all(nodes.all().stream().map(store -> store.session.connection.get()))),
                failure -> !isAnyConnected() && failures.mayPass(failure));
        started.set(true);
        if (!isAnyConnected()) {
            close();
            throw error.map(cause -> failures.unreachable("cannot connect", cause))
                    .orElseGet(() -> failures.uncovered("cannot connect", 0));
        }
        requireSafety();
        error.ifPresent(missing -> LOG.warn(
                "Not all masters of the cluster are connected: {}. Locks in their slots are not available.",
                failures.unreachable("connect", missing).getMessage()));
    }

    private boolean isAnyConnected() {
        return nodes.all().stream().anyMatch(RedisStore::isConnected);
    }

    /** Fails if none of the connected masters can provide the safety level. */
    private void requireSafety() {
        List<StoreException> refusals = new CopyOnWriteArrayList<>();
        List<CompletionStage<Void>> checks = nodes.all().stream()
                .filter(RedisStore::isConnected)
                .map(store -> store.session.requireSafety().whenComplete((done, error) -> {
                    if (error != null && RedisFailures.isRefusal(error)) {
                        refusals.add(failures.request("connect", error));
                    }
                }))
                .toList();
        driver.failureOf(Stages.all(checks.stream()), config.connectTimeout().toNanos());
        if (!refusals.isEmpty() && refusals.size() == checks.size()) {
            close();
            throw refusals.get(0);
        }
        refusals.forEach(refusal -> LOG.warn(
                "A master of the cluster cannot grant locks: {}. Locks in its slots are refused.",
                refusal.getMessage()));
    }

    /** Opens the store of a node. The store of a master that joins later is lazy, so its first connection signals a gap. */
    private RedisStore open(ClusterTopology.Node node, Function<Duration, CompletionStage<Boolean>> isReplaced) {
        RedisStore store = new RedisStore(
                config.withLazy(started.get() && !node.id().isEmpty()),
                address.node(node.id(), node.host(), node.port()),
                new KeyLayout(config.keyPrefix(), node.id() + ":"),
                driver,
                Optional.of(registry),
                () -> nodes.refreshSoon(),
                Optional.of(isReplaced));
        store.connected();
        return store;
    }

    @Override
    public Capabilities capabilities() {
        return RedisStore.CAPABILITIES;
    }

    @Override
    public String describe() {
        return "Redis at " + address;
    }

    @Override
    public ServerClock clock(String name) {
        return nodes.at(layout.slotOf(name))
                .map(store -> store.clock(name))
                .orElse(unknownClock)
                .readOnly();
    }

    // ---- routing

    /** Sends a request to the node that has the name's slot. */
    private <T> CompletionStage<T> at(String name, Function<RedisStore, CompletionStage<T>> request) {
        return at(name, request, request);
    }

    /**
     * Sends a request to the node that has the name's slot. If the request is redirected, the next node receives the substitute.
     */
    private <T> CompletionStage<T> at(
            String name,
            Function<RedisStore, CompletionStage<T>> request,
            Function<RedisStore, CompletionStage<T>> substitute) {
        return new RoutedRequest<>(route(layout.slotOf(name), true), request, substitute).run();
    }

    /** @param waits {@code true} if a request waits for a migrating slot */
    private RoutedRequest.Route<RedisStore> route(int slot, boolean waits) {
        long start = config.platform().nanoTime();
        return new RoutedRequest.Route<>() {

            @Override
            public Optional<RedisStore> node() {
                return nodes.at(slot);
            }

            @Override
            public CompletionStage<Void> refresh() {
                return ClusterStore.this.refresh();
            }

            @Override
            public RuntimeException uncovered() {
                nodes.refreshSoon();
                return failures.uncovered("find the master", slot);
            }

            @Override
            public CompletionStage<Void> moved(RedisStore from, Redirect redirect) {
                return nodes.moved(slot, redirect.hostOr(from.host()), redirect.port);
            }

            @Override
            public CompletionStage<Void> pause() {
                return driver.schedule(PAUSE_NANOS, () -> {});
            }

            @Override
            public boolean isOver(Redirect redirect) {
                // before the caller's time is up, because it would not know then that nothing was applied
                return (!waits && redirect.kind != Redirect.Kind.MOVED)
                        || config.platform().nanoTime() - start
                                > config.commandTimeout().toNanos() * 3 / 4;
            }
        };
    }

    /**
     * Sends a request, and sets the clock of its node by the reply. The engine cannot do that, because the slot may have moved to
     * another node when it receives the reply.
     */
    private <T> CompletionStage<T> timed(
            RedisStore node, String name, Function<RedisStore, CompletionStage<T>> request, ToLongFunction<T> time) {
        long sent = config.platform().nanoTime();
        return request.apply(node).thenApply(reply -> {
            long micros = time.applyAsLong(reply);
            if (micros > 0) {
                node.clock(name).observe(sent, micros);
            }
            return reply;
        });
    }

    // ---- requests

    /**
     * Fails while the slot migrates. The engine repeats the request for as long as its waiters have time. A request that waited here
     * could outlast them, and its outcome would be unknown to them.
     */
    @Override
    public CompletionStage<Acquire.Reply> acquire(Acquire request) {
        return new RoutedRequest<>(
                        route(layout.slotOf(request.name()), false),
                        node -> acquire(node, request),
                        node -> acquire(node, request.withNotAfter(PAST)))
                .run();
    }

    private CompletionStage<Acquire.Reply> acquire(RedisStore node, Acquire request) {
        return timed(node, request.name(), store -> store.acquire(request), Acquire.Reply::serverMicros);
    }

    @Override
    public CompletionStage<Release.Reply> release(Release request) {
        return at(
                request.name(),
                store -> timed(store, request.name(), node -> node.release(request), Release.Reply::serverMicros)
                        .exceptionallyCompose(error -> {
                            boolean isMigrating = Redirect.in(error)
                                    .filter(redirect -> redirect.kind != Redirect.Kind.MOVED)
                                    .isPresent();
                            return isMigrating
                                    ? migratingSlot.release(store, request, error)
                                    : CompletableFuture.failedStage(error);
                        }));
    }

    /**
     * Renews all slots at once, with one request for each. A failure in one slot neither fails nor delays the others. If a slot
     * has moved, its new node is recorded, and the next attempt goes there.
     */
    @Override
    public CompletionStage<List<Renew.Reply>> renew(List<Renew> batch) {
        Map<Integer, List<Integer>> bySlot = new LinkedHashMap<>();
        for (int i = 0; i < batch.size(); i++) {
            bySlot.computeIfAbsent(layout.slotOf(batch.get(i).name()), slot -> new ArrayList<>())
                    .add(i);
        }
        Renew.Reply[] replies = new Renew.Reply[batch.size()];
        Stream<CompletionStage<Void>> parts = bySlot.entrySet().stream().map(part -> {
            List<Integer> indexes = part.getValue();
            List<Renew> requests = indexes.stream().map(batch::get).toList();
            CompletionStage<List<Renew.Reply>> answer = renew(part.getKey(), requests);
            return (bySlot.size() == 1 ? answer : answer.exceptionally(error -> failed(requests, error)))
                    .thenAccept(some -> {
                        for (int i = 0; i < some.size(); i++) {
                            replies[indexes.get(i)] = some.get(i);
                        }
                    });
        });
        return Stages.all(parts).thenApply(done -> List.of(replies));
    }

    private List<Renew.Reply> failed(List<Renew> requests, Throwable error) {
        return Collections.nCopies(requests.size(), new Renew.Failed(failures.renewal(error)));
    }

    private CompletionStage<List<Renew.Reply>> renew(int slot, List<Renew> requests) {
        Optional<RedisStore> node = nodes.at(slot);
        if (node.isEmpty()) {
            nodes.refreshSoon();
            return CompletableFuture.failedStage(failures.uncovered("renew", slot));
        }
        return timed(node.get(), requests.get(0).name(), store -> store.renew(requests), ClusterStore::timeIn)
                .exceptionallyCompose(error -> Redirect.in(error).isPresent()
                        ? CompletableFuture.completedStage(failed(requests, error))
                        : CompletableFuture.failedStage(error))
                .thenCompose(replies ->
                        replies.stream().noneMatch(reply -> redirect(reply).isPresent())
                                ? CompletableFuture.completedStage(replies)
                                : Stages.all(IntStream.range(0, requests.size())
                                        .mapToObj(i -> orByKey(node.get(), slot, requests.get(i), replies.get(i)))));
    }

    private static long timeIn(List<Renew.Reply> replies) {
        return replies.stream()
                .filter(Renew.Renewed.class::isInstance)
                .mapToLong(reply -> ((Renew.Renewed) reply).serverMicros())
                .findFirst()
                .orElse(0);
    }

    private static Optional<Redirect> redirect(Renew.Reply reply) {
        return reply instanceof Renew.Failed failed ? Redirect.in(failed.cause()) : Optional.empty();
    }

    private CompletionStage<Renew.Reply> orByKey(RedisStore node, int slot, Renew request, Renew.Reply reply) {
        return redirect(reply)
                .map(redirect -> orByKey(node, slot, request, reply, redirect))
                .orElseGet(() -> CompletableFuture.completedStage(reply));
    }

    private CompletionStage<Renew.Reply> orByKey(
            RedisStore node, int slot, Renew request, Renew.Reply reply, Redirect redirect) {
        if (redirect.kind == Redirect.Kind.MOVED) {
            return withTimeout(
                    maxDelay(request),
                    reply,
                    nodes.moved(slot, redirect.hostOr(node.host()), redirect.port)
                            .thenApply(known -> reply));
        }
        return request.floor() == 0
                ? withTimeout(maxDelay(request), reply, migratingSlot.renew(node, request))
                : CompletableFuture.completedStage(reply);
    }

    /** Returns the maximum time for which the other renewals of the batch wait for this one. */
    private long maxDelay(Renew request) {
        return Math.min(request.lease().toNanos() / 6, config.commandTimeout().toNanos() / 2);
    }

    /** Returns a stage that completes with the other value if the given stage fails or is late. */
    private <T> CompletionStage<T> withTimeout(long nanos, T other, CompletionStage<T> stage) {
        CompletableFuture<T> answer = stage.exceptionally(error -> other).toCompletableFuture();
        var unused = driver.schedule(nanos, () -> answer.complete(other)).exceptionally(e -> answer.complete(other));
        return answer;
    }

    @Override
    public CompletionStage<Optional<LockReport.Holder>> forceRelease(String name) {
        return at(name, store -> store.forceRelease(name));
    }

    @Override
    public CompletionStage<LockReport> inspect(String name) {
        return at(name, store -> store.inspect(name));
    }

    @Override
    public CompletionStage<List<LockReport>> list(String prefix) {
        return everywhere(store -> store.list(prefix));
    }

    private <T> CompletionStage<List<T>> everywhere(Function<RedisStore, CompletionStage<List<T>>> question) {
        return ready().thenCompose(nothing -> Stages.all(nodes.all().stream().map(question)))
                .thenApply(lists -> lists.stream().flatMap(List::stream).toList());
    }

    /** Confirms the signals of the connected masters. The others signal a gap when they are connected again. */
    @Override
    public CompletionStage<Void> confirmSignals() {
        return ready().thenCompose(nothing -> Stages.all(
                        nodes.all().stream().filter(RedisStore::isConnected).map(RedisStore::confirmSignals)))
                .thenAccept(all -> {
                    if (all.isEmpty()) {
                        throw failures.unreachable("confirm", new IOException("no master is connected to"));
                    }
                });
    }

    /** Completes when the masters are known. It asks for them if no request was made before. */
    private CompletionStage<Void> ready() {
        return nodes.all().isEmpty() ? refresh() : CompletableFuture.completedStage(null);
    }

    private CompletionStage<Void> refresh() {
        return nodes.refresh()
                .exceptionallyCompose(
                        error -> CompletableFuture.failedStage(failures.unreachable("find the master", error)));
    }

    // ---- counters

    @Override
    public CounterStore counters() {
        return this;
    }

    @Override
    public CompletionStage<Change.Reply> change(Change request) {
        return at(request.name(), store -> change(store, request), store -> change(store, request.withNotAfter(PAST)));
    }

    private CompletionStage<Change.Reply> change(RedisStore node, Change request) {
        return timed(node, request.name(), store -> store.counters.change(request), Change.Reply::serverMicros);
    }

    @Override
    public CompletionStage<PermitReport> permits(String name) {
        return at(name, store -> store.counters.permits(name));
    }

    @Override
    public CompletionStage<List<SemaphoreReport>> semaphores(String prefix) {
        return everywhere(store -> store.counters.semaphores(prefix));
    }

    @Override
    public CompletionStage<List<LatchCount>> latches(String prefix) {
        return everywhere(store -> store.counters.latches(prefix));
    }

    @Override
    public CompletionStage<Boolean> revoke(String name, TenureId permit) {
        return at(name, store -> store.counters.revoke(name, permit));
    }

    @Override
    public CompletionStage<LatchReport> latch(String name, boolean listening) {
        return at(name, store -> store.counters.latch(name, listening));
    }

    // ---- records of the clients, each in the slot of its own key

    @Override
    public CompletionStage<List<String>> read(List<String> keys) {
        // an unreadable record counts as absent, so that it delays nobody
        return Stages.all(keys.stream()
                        .map(key -> withTimeout(
                                RECORD_NANOS, List.of(""), atKey(key, records -> records.read(List.of(key))))))
                .thenApply(found -> found.stream().map(one -> one.get(0)).toList());
    }

    @Override
    public CompletionStage<?> write(String key, String text, Duration life) {
        return atKey(key, records -> records.write(key, text, life));
    }

    @Override
    public CompletionStage<?> remove(String key) {
        return atKey(key, records -> records.remove(key));
    }

    private <T> CompletionStage<T> atKey(String key, Function<ClientRegistry.Records, CompletionStage<T>> request) {
        Function<RedisStore, CompletionStage<T>> there = store -> request.apply(new ServerRecords(store.session));
        return new RoutedRequest<>(route(KeyLayout.slot(key), true), there, there).run();
    }

    @Override
    public void close() {
        if (!closed.getAndSet(true)) {
            registry.remove().ifPresent(end -> driver.failureOf(end, CLOSE_NANOS));
            nodes.all().forEach(store -> store.session.close());
            driver.close();
        }
    }
}
