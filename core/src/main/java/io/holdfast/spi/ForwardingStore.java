package io.holdfast.spi;

import io.holdfast.LockReport;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/** A store that asks another one; subclasses change what they want, and pass on what is added to {@link LockStore} later. */
public class ForwardingStore implements LockStore {

    private volatile LockStore store;

    /** Asks this one. */
    public ForwardingStore(LockStore store) {
        this.store = store;
    }

    /** The one that is asked. */
    public final LockStore store() {
        return store;
    }

    /** Asks another one from now on. */
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
    public Optional<CounterStore> counters() {
        return store.counters();
    }

    @Override
    public ServerClock clock(String name) {
        return store.clock(name);
    }

    /**
     * Several names by one request, as the store that is asked takes them: past {@link #acquire} of this one. A subclass that
     * changes what {@link #acquire} does must override this, too, or return nothing here.
     */
    @Override
    public Optional<TogetherStore> together() {
        return store.together();
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
