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
import io.holdfast.spi.TenureId;
import io.holdfast.spi.TogetherStore;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

/** The connection of one client to a {@link MemoryServer}. Replies are complete when the call returns. Signals arrive later. */
final class MemoryStore implements LockStore {

    private static final Capabilities CAPABILITIES =
            new Capabilities(false, true, true, Set.of(Mode.values()), Duration.ofMillis(100), 512, true);

    private final StoreConfig config;
    private final MemoryServer server;
    private final Runnable leave;
    private final Platform.Worker signals;
    private final ServerClock clock = new ServerClock();

    MemoryStore(StoreConfig config, MemoryServer server, Runnable leave) {
        this.config = config;
        this.server = server;
        this.leave = leave;
        signals = config.platform().worker("holdfast-" + id() + "-memory", 1);
    }

    @Override
    public Capabilities capabilities() {
        return CAPABILITIES;
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
        return reply(() -> {
            String key = key(request.name());
            return request.share().mode() == Mode.PERMITS
                    ? server.decide(this, now -> server.semaphores.acquire(key, request.name(), request, now))
                    : server.acquire(this, key, request);
        });
    }

    @Override
    public CompletionStage<List<Renew.Reply>> renew(List<Renew> batch) {
        return reply(() -> batch.stream().map(this::renew).toList());
    }

    private Renew.Reply renew(Renew request) {
        String key = key(request.name());
        return request.mode() == Mode.PERMITS
                ? server.decide(this, now -> server.semaphores.renew(key, request, now))
                : server.renew(this, key, request);
    }

    @Override
    public CompletionStage<Release.Reply> release(Release request) {
        return reply(() -> {
            String key = key(request.name());
            return request.mode() == Mode.PERMITS
                    ? server.decide(this, now -> server.semaphores.release(key, request, now))
                    : server.release(this, key, request);
        });
    }

    @Override
    public CompletionStage<Optional<LockReport.Holder>> forceRelease(String name) {
        return reply(() -> server.forceRelease(this, key(name)));
    }

    @Override
    public CompletionStage<LockReport> inspect(String name) {
        return reply(() -> server.inspect(this, key(name)));
    }

    @Override
    public CompletionStage<List<LockReport>> list(String prefix) {
        return reply(() -> server.list(this, key(prefix)));
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
        return reply(() -> server.decide(this, now -> new CompletableFuture<Void>()))
                .thenCompose(back -> {
                    signals.execute(() -> back.complete(null));
                    return back;
                });
    }

    @Override
    public void close() {
        if (server.disconnect(this)) {
            signals.close();
            leave.run();
        }
    }

    String id() {
        return config.client().id();
    }

    LockReport.Client client() {
        return config.client();
    }

    /** Returns the name by which this client knows a key. */
    String name(String key) {
        return key.substring(config.keyPrefix().length());
    }

    String key(String name) {
        return config.keyPrefix() + name;
    }

    /** Delivers a signal later, in order. */
    void deliver(Signal signal) {
        signals.execute(() -> config.signals().accept(signal));
    }

    /** Returns the description of this client's hold, if the tenure still has it. */
    Optional<HoldDescription> describeHold(String key, TenureId tenure) {
        return config.describer().apply(name(key)).filter(hold -> hold.tenure().equals(tenure));
    }

    static <T> CompletionStage<T> reply(Supplier<T> decision) {
        try {
            return CompletableFuture.completedFuture(decision.get());
        } catch (RuntimeException e) {
            return CompletableFuture.failedFuture(e);
        }
    }
}
