package io.holdfast.spi;

import io.holdfast.LockReport;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/**
 * A store that forwards all calls to another store. Subclasses override the methods that they change. Methods that are added to
 * {@link LockStore} later are forwarded, too.
 */
public class ForwardingStore implements LockStore {

    private volatile LockStore store;

    /** Creates a store that forwards to the given store. */
    public ForwardingStore(LockStore store) {
        this.store = store;
    }

    /** Returns the store to which calls are forwarded. */
    public final LockStore store() {
        return store;
    }

    /** Forwards to another store from now on. */
    protected final void replace(LockStore other) {
        store = other;
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
    public CounterStore counters() {
        return store.counters();
    }

    @Override
    public ServerClock clock(String name) {
        return store.clock(name);
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
        store.close();
    }
}
