package io.holdfast.testkit;

import io.holdfast.LockReport;
import io.holdfast.spi.Acquire;
import io.holdfast.spi.LockStore;
import io.holdfast.spi.Platform;
import io.holdfast.spi.Release;
import io.holdfast.spi.Renew;
import io.holdfast.spi.Signal;
import io.holdfast.spi.StoreConfig;
import io.holdfast.spi.StoreConfig.HoldDescription;
import io.holdfast.spi.StoreException;
import io.holdfast.spi.StoreProvider;
import io.holdfast.spi.TenureId;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.function.Function;
import java.util.function.UnaryOperator;

/**
 * A client of a store, without the engine, on a real server. A test makes the calls that the engine would make. Its requests have
 * time for a pause of a busy machine.
 */
public class StoreClient implements AutoCloseable {

    /** The lease of all requests that do not set another one. */
    public static final Duration LEASE = Duration.ofSeconds(30);

    private static final Duration COMMAND = Duration.ofSeconds(5);
    private static final Duration CONNECT = Duration.ofSeconds(10);

    private final String id = UUID.randomUUID().toString();
    private final BlockingQueue<Signal> signals = new LinkedBlockingQueue<>();
    private volatile Function<String, Optional<HoldDescription>> describer = name -> Optional.empty();
    private final StoreConfig config;
    private final LockStore store;

    /** Connects, with the defaults of all options except the changed ones. */
    public StoreClient(StoreProvider provider, String uri, UnaryOperator<StoreConfig> change) {
        LockReport.Client client =
                new LockReport.Client(id, Optional.of("test"), Optional.of("here"), OptionalLong.of(42));
        config = change.apply(StoreConfig.of(uri, client, Platform.system()).withTimeouts(COMMAND, CONNECT))
                .withClient(client, signals::add, name -> describer.apply(name));
        store = provider.open(config);
    }

    /** Returns the id of the client. */
    public final String id() {
        return id;
    }

    /** Returns the signals that have arrived and were not taken. */
    public final BlockingQueue<Signal> signals() {
        return signals;
    }

    /** Sets the function that describes the holds of this client to others. */
    public final void describeBy(Function<String, Optional<HoldDescription>> value) {
        describer = value;
    }

    /** Returns the configuration with which the store was opened. */
    public final StoreConfig config() {
        return config;
    }

    /** Returns the store itself. */
    public final LockStore store() {
        return store;
    }

    /** Returns {@code true} if a message of the client to itself arrives, and {@code false} if the store refuses that now. */
    public final boolean isConnected() {
        try {
            Await.reply(store.confirmSignals());
            return true;
        } catch (StoreException e) {
            return false;
        }
    }

    /** Returns the client's tenure of the given number. */
    public final TenureId tenure(long number) {
        return new TenureId(id, number);
    }

    /** Requests the name with the given tenure. */
    public final Acquire.Reply acquire(String name, long number) {
        return acquire(request(name, number));
    }

    /** Sends a request with a time limit, and again if the store answers that it is late. The first reply sets the clock. */
    public final Acquire.Reply acquire(Acquire request) {
        while (true) {
            long sent = System.nanoTime();
            long notAfter = store.clock(request.name()).notAfter(sent, LEASE);
            Acquire.Reply reply = Await.reply(store.acquire(request.withNotAfter(notAfter)));
            store.clock(request.name()).observe(sent, reply.serverMicros());
            if (!(reply instanceof Acquire.Late)) {
                return reply;
            }
        }
    }

    /** Sends a request without waiting for the reply. */
    public final CompletionStage<Acquire.Reply> start(String name, long number) {
        return store.acquire(request(name, number));
    }

    /** Returns a request that is never late. */
    public final Acquire request(String name, long number) {
        return Acquire.of(name, tenure(number), LEASE).withNotAfter(Long.MAX_VALUE >> 11);
    }

    /** Requests the name, which must be free. */
    public final Acquire.Granted granted(String name, long number) {
        return (Acquire.Granted) acquire(name, number);
    }

    /** Requests the name, which must be held. */
    public final Acquire.Refused refused(String name, long number) {
        return (Acquire.Refused) acquire(name, number);
    }

    /** Releases the name. */
    public final Release.Reply release(String name, long number) {
        return Await.reply(store.release(Release.of(name, tenure(number))));
    }

    /** Renews the lease. */
    public final Renew.Reply renew(String name, long number) {
        return renew(List.of(new Renew(name, tenure(number), LEASE, 0))).get(0);
    }

    /** Renews the leases. */
    public final List<Renew.Reply> renew(List<Renew> batch) {
        return Await.reply(store.renew(batch));
    }

    @Override
    public void close() {
        store.close();
    }
}
