package io.holdfast.redis;

import io.holdfast.spi.Acquire;
import io.holdfast.spi.Release;
import io.holdfast.spi.Signal;
import io.holdfast.spi.StoreConfig;
import io.holdfast.testkit.Await;
import io.holdfast.testkit.StoreClient;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;

/** A client of Redis that waits in the queue, and hears signals. */
final class TestClient extends StoreClient {

    private TestClient(String uri, UnaryOperator<StoreConfig> change) {
        super(new RedisStoreProvider(), uri, change);
    }

    static TestClient open(String uri) {
        return open(uri, config -> config);
    }

    static TestClient open(String uri, UnaryOperator<StoreConfig> change) {
        return new TestClient(uri, change);
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

    Acquire.Refused queued(String name, long number) {
        return queued(name, number, 0);
    }

    Acquire.Refused queued(String name, long number, long arrival) {
        return (Acquire.Refused)
                acquire(Acquire.of(name, tenure(number), LEASE).queued(Acquire.Queueing.BARGING, arrival));
    }

    Release.Reply assign(String name, long number) {
        return Await.reply(store().release(Release.of(name, tenure(number)).withYield(true)));
    }

    /** The next signal of that kind; others before it are dropped. */
    <S extends Signal> S next(Class<S> kind) {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
        while (System.nanoTime() - end < 0) {
            try {
                Signal signal = signals().poll(100, TimeUnit.MILLISECONDS);
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
        Await.reply(store().confirmSignals());
        return List.copyOf(signals());
    }
}
