package io.holdfast.testkit;

import io.holdfast.LockReport;
import io.holdfast.spi.Acquire;
import io.holdfast.spi.Capabilities;
import io.holdfast.spi.LockStore;
import io.holdfast.spi.Release;
import io.holdfast.spi.Renew;
import io.holdfast.spi.ServerClock;
import io.holdfast.spi.StoreConfig;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

/** A connection that comes back after its server was restarted. */
final class ReopenedStore implements LockStore {

    private final StoreConfig config;
    private final Function<StoreConfig, LockStore> opener;
    private final ServerClock clock = new ServerClock();
    private volatile LockStore store;
    private volatile boolean closed;

    ReopenedStore(StoreConfig config, Function<StoreConfig, LockStore> opener) {
        this.config = config;
        this.opener = opener;
        store = opener.apply(config);
    }

    void disconnect() {
        store.close();
    }

    void reconnect() {
        if (!closed) {
            store = opener.apply(config);
        }
    }

    @Override
    public Capabilities capabilities() {
        return store.capabilities();
    }

    @Override
    public String describe() {
        return store.describe();
    }

    @Override
    public ServerClock clock(String name) {
        return clock;
    }

    @Override
    public CompletionStage<Acquire.Reply> acquire(Acquire request) {
        return store.acquire(request);
    }

    @Override
    public CompletionStage<List<Renew.Reply>> renew(List<Renew> batch) {
        return store.renew(batch);
    }

    @Override
    public CompletionStage<Release.Reply> release(Release request) {
        return store.release(request);
    }

    @Override
    public CompletionStage<Optional<LockReport.Holder>> forceRelease(String name) {
        return store.forceRelease(name);
    }

    @Override
    public CompletionStage<LockReport> inspect(String name) {
        return store.inspect(name);
    }

    @Override
    public CompletionStage<List<LockReport>> list(String prefix) {
        return store.list(prefix);
    }

    @Override
    public CompletionStage<Void> confirmSignals() {
        return store.confirmSignals();
    }

    @Override
    public void close() {
        closed = true;
        store.close();
    }
}
