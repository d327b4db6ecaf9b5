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

/** A client of a store alone, on a real server: what the engine does with it, done by hand. */
public class StoreClient implements AutoCloseable {

    /** Of all requests that say nothing else. */
    public static final Duration LEASE = Duration.ofSeconds(30);

    private final String id = UUID.randomUUID().toString();
    private final BlockingQueue<Signal> signals = new LinkedBlockingQueue<>();
    private volatile Function<String, Optional<HoldDescription>> describer = name -> Optional.empty();
    private final StoreConfig config;
    private final LockStore store;

    /** Connects, with the defaults of all options but those that are changed. */
    public StoreClient(StoreProvider provider, String uri, UnaryOperator<StoreConfig> change) {
        LockReport.Client client =
                new LockReport.Client(id, Optional.of("test"), Optional.of("here"), OptionalLong.of(42));
        config = change.apply(StoreConfig.of(uri, client, Platform.system()))
                .withClient(client, signals::add, name -> describer.apply(name));
        store = provider.open(config);
    }

    /** The id of the client. */
    public final String id() {
        return id;
    }

    /** The signals that have come, and were not taken. */
    public final BlockingQueue<Signal> signals() {
        return signals;
    }

    /** Tells others about its holds by this. */
    public final void describeBy(Function<String, Optional<HoldDescription>> value) {
        describer = value;
    }

    /** What the store was opened with. */
    public final StoreConfig config() {
        return config;
    }

    /** The store itself. */
    public final LockStore store() {
        return store;
    }

    /** The client's tenure of that number. */
    public final TenureId tenure(long number) {
        return new TenureId(id, number);
    }

    /** Asks for the name with that tenure. */
    public final Acquire.Reply acquire(String name, long number) {
        return acquire(request(name, number));
    }

    /** Asks in time: the clock of the store is taught by the first reply. */
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

    /** Asks without waiting for the answer. */
    public final CompletionStage<Acquire.Reply> start(String name, long number) {
        return store.acquire(request(name, number));
    }

    /** A request that is never late. */
    public final Acquire request(String name, long number) {
        return Acquire.of(name, tenure(number), LEASE).withNotAfter(Long.MAX_VALUE >> 11);
    }

    /** Asks for the name, which is free. */
    public final Acquire.Granted granted(String name, long number) {
        return (Acquire.Granted) acquire(name, number);
    }

    /** Asks for the name, which is held. */
    public final Acquire.Refused refused(String name, long number) {
        return (Acquire.Refused) acquire(name, number);
    }

    /** Gives the name up. */
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
