package io.holdfast.memory;

import io.holdfast.LockReport;
import io.holdfast.spi.Acquire;
import io.holdfast.spi.Capabilities;
import io.holdfast.spi.CounterStore;
import io.holdfast.spi.LockStore;
import io.holdfast.spi.Platform;
import io.holdfast.spi.Release;
import io.holdfast.spi.Renew;
import io.holdfast.spi.ServerClock;
import io.holdfast.spi.Share.Mode;
import io.holdfast.spi.Signal;
import io.holdfast.spi.StoreConfig;
import io.holdfast.spi.StoreConfig.HoldDescription;
import io.holdfast.spi.StoreException;
import io.holdfast.spi.StoreException.Effect;
import io.holdfast.spi.TenureId;
import io.holdfast.spi.TogetherStore;
import io.holdfast.support.record.Decider;
import io.holdfast.support.record.Decision;
import io.holdfast.support.record.Holder;
import io.holdfast.support.record.LockRecord;
import io.holdfast.support.record.Moment;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BiFunction;
import java.util.function.Supplier;

/** The connection of one client to a {@link MemoryServer}. Replies are complete when the call returns. Signals arrive later. */
final class MemoryStore implements LockStore {

    private final StoreConfig config;
    private final MemoryServer server;
    private final Runnable onClose;
    private final Platform.Worker signals;
    private final MemoryReports reports;
    private final ServerClock clock = new ServerClock();

    /** {@code true} if the last signal was not delivered. Guarded by the server's mutex. */
    private boolean missed;

    MemoryStore(StoreConfig config, MemoryServer server, Runnable onClose) {
        this.config = config;
        this.server = server;
        this.onClose = onClose;
        reports = new MemoryReports(this, server);
        signals = config.platform().worker("holdfast-" + id() + "-memory", 1);
    }

    @Override
    public Capabilities capabilities() {
        return server.capabilities();
    }

    @Override
    public String describe() {
        return config.uri().equals(MemoryStoreProvider.PRIVATE) ? config.uri() + " of client " + id() : config.uri();
    }

    @Override
    public ServerClock clock(String name) {
        return clock;
    }

    @Override
    public CompletionStage<Acquire.Reply> acquire(Acquire request) {
        return decide(
                request.name(),
                request.share().mode(),
                (record, moment) -> decider().acquire(record, request, moment));
    }

    @Override
    public CompletionStage<List<Renew.Reply>> renew(List<Renew> batch) {
        return reply(() -> {
            server.requireConnected(this);
            return batch.stream().map(this::renew).toList();
        });
    }

    private Renew.Reply renew(Renew request) {
        try {
            return server.decide(
                    this,
                    key(request.name(), request.mode()),
                    (record, moment) -> decider().renew(record, request, moment));
        } catch (StoreException e) {
            return new Renew.Failed(e);
        } catch (RuntimeException e) {
            return new Renew.Failed(new StoreException(Effect.UNKNOWN, "'" + request.name() + "' was not renewed", e));
        }
    }

    @Override
    public CompletionStage<Release.Reply> release(Release request) {
        return decide(
                request.name(), request.mode(), (record, moment) -> decider().release(record, request, moment));
    }

    private <R> CompletionStage<R> decide(
            String name, Mode mode, BiFunction<LockRecord, Moment, Decision<R>> decision) {
        return reply(() -> server.decide(this, key(name, mode), decision));
    }

    private Decider decider() {
        return server.decider();
    }

    @Override
    public CompletionStage<Optional<LockReport.Holder>> forceRelease(String name) {
        return decide(name, Mode.LOCK, (record, moment) -> {
            LockReport before = reports.lock(lock(name), record.expire(moment.now()), moment);
            Decision<List<Holder>> decision = decider().forceRelease(record, name, moment);
            return new Decision<>(decision.record(), before.holder(), decision.notices());
        });
    }

    @Override
    public CompletionStage<LockReport> inspect(String name) {
        MemoryKey key = lock(name);
        return reply(() -> server.read(this, key, (record, moment) -> reports.lock(key, record, moment)));
    }

    @Override
    public CompletionStage<List<LockReport>> list(String prefix) {
        return reply(() -> server.list(this, lock(prefix), reports::lockInUse));
    }

    @Override
    public Optional<CounterStore> counters() {
        return Optional.of(new MemoryCounters(this, server));
    }

    @Override
    public Optional<TogetherStore> together() {
        return Optional.of(new MemoryTogether(this, server));
    }

    @Override
    public CompletionStage<Void> confirmSignals() {
        return reply(() -> server.requireConnected(this)).thenCompose(connected -> {
            CompletableFuture<Void> delivered = new CompletableFuture<>();
            signals.execute(() -> delivered.complete(null));
            return delivered;
        });
    }

    @Override
    public void close() {
        if (server.disconnect(this)) {
            signals.close();
            onClose.run();
        }
    }

    String id() {
        return config.client().id();
    }

    LockReport.Client client() {
        return config.client();
    }

    MemoryReports reports() {
        return reports;
    }

    /** Returns the name that this client uses for a key. */
    String name(MemoryKey key) {
        return key.text().substring(config.keyPrefix().length());
    }

    MemoryKey lock(String name) {
        return new MemoryKey(MemoryKey.Kind.LOCK, config.keyPrefix() + name);
    }

    MemoryKey semaphore(String name) {
        return new MemoryKey(MemoryKey.Kind.SEMAPHORE, config.keyPrefix() + name);
    }

    MemoryKey latch(String name) {
        return new MemoryKey(MemoryKey.Kind.LATCH, config.keyPrefix() + name);
    }

    private MemoryKey key(String name, Mode mode) {
        return mode == Mode.PERMITS ? semaphore(name) : lock(name);
    }

    /** Delivers a signal later, in order. If no thread can be started for it, a {@link Signal.Gap} precedes the next signal. */
    void deliver(Signal signal) {
        boolean gap = missed;
        missed = true;
        try {
            signals.execute(() -> accept(signal, gap));
            missed = false;
        } catch (Throwable e) {
            // the request of another client caused the signal, and must not fail
        }
    }

    private void accept(Signal signal, boolean gap) {
        if (gap) {
            config.signals().accept(new Signal.Gap());
        }
        config.signals().accept(signal);
    }

    /** Returns the description of this client's hold; empty if it has another tenure by now. */
    Optional<HoldDescription> describeHold(MemoryKey key, TenureId tenure) {
        return config.describer().apply(name(key)).filter(hold -> hold.tenure().equals(tenure));
    }

    static <T> CompletionStage<T> reply(Supplier<T> decision) {
        try {
            return CompletableFuture.completedFuture(decision.get());
        } catch (Throwable e) {
            return CompletableFuture.failedFuture(e);
        }
    }
}
