package io.holdfast.redis;

import io.holdfast.LockReport;
import io.holdfast.spi.Acquire;
import io.holdfast.spi.LockStore;
import io.holdfast.spi.Platform;
import io.holdfast.spi.Release;
import io.holdfast.spi.Renew;
import io.holdfast.spi.Signal;
import io.holdfast.spi.StoreConfig;
import io.holdfast.spi.StoreConfig.HoldDescription;
import io.holdfast.spi.TenureId;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.function.UnaryOperator;

/** A client of the store alone: what the engine does with it, done by hand. */
final class TestClient implements AutoCloseable {

    static final Duration LEASE = Duration.ofSeconds(30);

    final String id = UUID.randomUUID().toString();
    final BlockingQueue<Signal> signals = new LinkedBlockingQueue<>();
    final AtomicReference<Function<String, Optional<HoldDescription>>> describer =
            new AtomicReference<>(name -> Optional.empty());
    final StoreConfig config;
    final LockStore store;

    private TestClient(StoreConfig template) {
        config = template.withClient(
                new LockReport.Client(id, Optional.of("test"), Optional.of("here"), OptionalLong.of(42)),
                signals::add,
                name -> describer.get().apply(name));
        store = new RedisStoreProvider().open(config);
    }

    static TestClient open(String uri) {
        return open(uri, config -> config);
    }

    static TestClient open(String uri, UnaryOperator<StoreConfig> change) {
        StoreConfig config = StoreConfig.of(uri, LockReport.Client.unknown(""), Platform.system());
        return new TestClient(change.apply(config));
    }

    static UnaryOperator<StoreConfig> prefixed(String prefix) {
        return config -> config.withKeyPrefix(prefix);
    }

    static UnaryOperator<StoreConfig> lazy() {
        return config -> config.withLazy(true);
    }

    static UnaryOperator<StoreConfig> timeouts(Duration command, Duration connect) {
        return config -> config.withTimeouts(command, connect);
    }

    TenureId tenure(long number) {
        return new TenureId(id, number);
    }

    /** In time: the clock of the store is taught by the first reply. */
    Acquire.Reply acquire(String name, long number) {
        return acquire(request(name, number));
    }

    Acquire.Reply acquire(Acquire request) {
        while (true) {
            long sent = System.nanoTime();
            long notAfter = store.clock(request.name()).notAfter(sent, LEASE);
            Acquire.Reply reply = Await.reply(store.acquire(new Acquire(
                    request.name(),
                    request.tenure(),
                    request.enqueue(),
                    request.arrival(),
                    request.lease(),
                    request.tokens(),
                    notAfter)));
            store.clock(request.name()).observe(sent, reply.serverMicros());
            if (!(reply instanceof Acquire.Late)) {
                return reply;
            }
        }
    }

    CompletionStage<Acquire.Reply> start(String name, long number) {
        return store.acquire(request(name, number));
    }

    Acquire request(String name, long number) {
        return new Acquire(name, tenure(number), false, 0, LEASE, 1, Long.MAX_VALUE >> 11);
    }

    Acquire.Granted granted(String name, long number) {
        return (Acquire.Granted) acquire(name, number);
    }

    Acquire.Refused refused(String name, long number) {
        return (Acquire.Refused) acquire(name, number);
    }

    Acquire.Refused queued(String name, long number) {
        return queued(name, number, 0);
    }

    Acquire.Refused queued(String name, long number, long arrival) {
        return (Acquire.Refused) acquire(new Acquire(name, tenure(number), true, arrival, LEASE, 1, 0));
    }

    Release.Reply release(String name, long number) {
        return Await.reply(store.release(new Release(name, tenure(number), false, 0)));
    }

    Release.Reply assign(String name, long number) {
        return Await.reply(store.release(new Release(name, tenure(number), true, 0)));
    }

    Renew.Reply renew(String name, long number) {
        return renew(List.of(new Renew(name, tenure(number), LEASE, 0))).get(0);
    }

    List<Renew.Reply> renew(List<Renew> batch) {
        return Await.reply(store.renew(batch));
    }

    /** The next signal of that kind; others before it are dropped. */
    <S extends Signal> S next(Class<S> kind) {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
        while (System.nanoTime() - end < 0) {
            try {
                Signal signal = signals.poll(100, TimeUnit.MILLISECONDS);
                if (kind.isInstance(signal)) {
                    return kind.cast(signal);
                }
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        }
        throw new AssertionError("no " + kind.getSimpleName());
    }

    /** What came until now: whatever was sent before this call has arrived. */
    List<Signal> arrived() {
        Await.reply(store.confirmSignals());
        return List.copyOf(signals);
    }

    @Override
    public void close() {
        store.close();
    }
}
