package io.holdfast.memory;

import io.holdfast.LockReport;
import io.holdfast.spi.Acquire;
import io.holdfast.spi.Platform;
import io.holdfast.spi.Signal;
import io.holdfast.spi.StoreConfig;
import io.holdfast.spi.StoreConfig.HoldDescription;
import io.holdfast.spi.TenureId;
import io.holdfast.support.store.RecordKey;
import io.holdfast.support.store.RecordKeys;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** A client of a {@link MemoryServer}, which receives its signals in order, on a thread of its own. */
final class MemoryClient implements AutoCloseable {

    private final StoreConfig config;
    private final RecordKeys keys;
    private final Platform.Worker signals;

    /** {@code true} if the last signal was not delivered. Guarded by the server's mutex. */
    private boolean missed;

    MemoryClient(StoreConfig config) {
        this.config = config;
        keys = new RecordKeys(config.keyPrefix());
        signals = config.platform().worker("holdfast-" + id() + "-memory", 1);
    }

    String id() {
        return config.client().id();
    }

    LockReport.Client identity() {
        return config.client();
    }

    String describe() {
        return config.uri().equals(MemoryStoreProvider.PRIVATE) ? config.uri() + " of client " + id() : config.uri();
    }

    /** Returns the name that this client uses for a key. */
    String name(RecordKey key) {
        return keys.name(key);
    }

    RecordKey key(Acquire request) {
        return keys.of(request.name(), request.share().mode());
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

    /** Returns a stage that completes when all earlier signals are delivered. */
    CompletionStage<Void> delivered() {
        CompletableFuture<Void> delivered = new CompletableFuture<>();
        signals.execute(() -> delivered.complete(null));
        return delivered;
    }

    /** Returns the description of this client's hold; empty if it has another tenure by now. */
    Optional<HoldDescription> describeHold(RecordKey key, TenureId tenure) {
        return config.describer().apply(name(key)).filter(hold -> hold.tenure().equals(tenure));
    }

    @Override
    public void close() {
        signals.close();
    }
}
