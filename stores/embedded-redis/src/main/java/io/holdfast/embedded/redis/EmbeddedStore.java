package io.holdfast.embedded.redis;

import io.holdfast.LockReport;
import io.holdfast.spi.Acquire;
import io.holdfast.spi.Capabilities;
import io.holdfast.spi.CounterStore;
import io.holdfast.spi.LockStore;
import io.holdfast.spi.Release;
import io.holdfast.spi.Renew;
import io.holdfast.spi.ServerClock;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;

/** A Redis store that counts as a user of the embedded server until it is closed. */
final class EmbeddedStore implements LockStore {

    private final LockStore redis;
    private final AtomicBoolean closed = new AtomicBoolean();

    EmbeddedStore(LockStore redis) {
        this.redis = redis;
    }

    @Override
    public Capabilities capabilities() {
        return redis.capabilities();
    }

    @Override
    public String describe() {
        return "embedded " + redis.describe();
    }

    @Override
    public Optional<CounterStore> counters() {
        return redis.counters();
    }

    @Override
    public ServerClock clock(String name) {
        return redis.clock(name);
    }

    @Override
    public CompletionStage<Acquire.Reply> acquire(Acquire request) {
        return redis.acquire(request);
    }

    @Override
    public CompletionStage<List<Renew.Reply>> renew(List<Renew> batch) {
        return redis.renew(batch);
    }

    @Override
    public CompletionStage<Release.Reply> release(Release request) {
        return redis.release(request);
    }

    @Override
    public CompletionStage<Optional<LockReport.Holder>> forceRelease(String name) {
        return redis.forceRelease(name);
    }

    @Override
    public CompletionStage<LockReport> inspect(String name) {
        return redis.inspect(name);
    }

    @Override
    public CompletionStage<List<LockReport>> list(String prefix) {
        return redis.list(prefix);
    }

    @Override
    public CompletionStage<Void> confirmSignals() {
        return redis.confirmSignals();
    }

    @Override
    public void close() {
        if (closed.compareAndSet(false, true)) {
            redis.close();
            EmbeddedRedis.release();
        }
    }
}
