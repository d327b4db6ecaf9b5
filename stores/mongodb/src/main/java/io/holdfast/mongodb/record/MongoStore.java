package io.holdfast.mongodb.record;

import static io.holdfast.spi.Names.quoted;

import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoDatabase;
import io.holdfast.spi.Acquire;
import io.holdfast.spi.Capabilities;
import io.holdfast.spi.Platform;
import io.holdfast.spi.Release;
import io.holdfast.spi.Renew;
import io.holdfast.spi.ServerClock;
import io.holdfast.spi.Share;
import io.holdfast.spi.Share.Mode;
import io.holdfast.spi.StoreConfig;
import io.holdfast.support.TokenUnits;
import io.holdfast.support.record.Decider;
import io.holdfast.support.record.Decision;
import io.holdfast.support.record.Limits;
import io.holdfast.support.store.BusyNames;
import io.holdfast.support.store.Looker;
import io.holdfast.support.store.RecordKey;
import io.holdfast.support.store.RecordKeys;
import io.holdfast.support.store.RecordStore;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * The locks of one client in collections of MongoDB. A lock that nobody waits for is acquired and released by one guarded write
 * each. Everything else is decided on its record.
 */
public final class MongoStore extends RecordStore {

    private static final String LOCKS = "holdfast_locks";
    private static final String CLIENTS = "holdfast_clients";

    /** The number of places, holders and changes of a name is limited, because each write contains all of them. */
    private static final Limits LIMITS = Limits.STANDARD;

    /** The number of leases that one command renews. */
    private static final int RENEWALS = 1_000;

    private static final int MOST_REMEMBERED = 10_000;

    private final StoreConfig config;
    private final MongoClient client;
    private final RecordKeys keys;
    private final Parts parts;
    private final ServerClock clock = new ServerClock();

    /** The number of the last guarded write of this client, by name. If it is still the last one, a late copy cannot match it. */
    private final Map<RecordKey, Long> lastWrites = new ConcurrentHashMap<>();

    private final AtomicBoolean closed = new AtomicBoolean();

    private record Parts(
            Documents documents,
            Failures failures,
            MongoRecords records,
            Clients clients,
            Sweep sweep,
            Looker looker,
            BusyNames busy,
            Platform.Timer timer) {}

    private MongoStore(StoreConfig config, MongoClient client, Parts parts) {
        super(config, new Decider(LIMITS), parts.records(), parts.clients());
        this.config = config;
        this.client = client;
        this.parts = parts;
        keys = new RecordKeys(config.keyPrefix());
    }

    /**
     * Opens the store of a client.
     *
     * @param client a connection, which the store closes
     * @param database the name of the database
     * @param address the address of the servers, for texts
     */
    public static MongoStore open(StoreConfig config, MongoClient client, String database, String address) {
        RecordKeys keys = new RecordKeys(config.keyPrefix());
        MongoDatabase all = client.getDatabase(database);
        Failures failures = new Failures(address);
        RouterCheck check = new RouterCheck(all, failures);
        Documents documents = new Documents(all.getCollection(LOCKS), keys, check);
        if (!config.lazy()) {
            new FirstAttempts(config, client::getClusterDescription, failures).make(atMost -> {
                check.require(atMost);
                var unused = failures.calling("connect", () -> {
                    documents.createIndex();
                    return true;
                });
            });
        }
        Platform.Timer timer =
                config.platform().timer("holdfast-" + config.client().id() + "-mongodb-timer");
        Looker looker = new Looker(
                config, timer, names -> new HashMap<>(failures.reading("look", () -> documents.readAll(names))));
        BusyNames busy = new BusyNames();
        Clients clients = new Clients(config, all.getCollection(CLIENTS), failures);
        MongoRecords records = new MongoRecords(config, documents, failures, looker, busy);
        return new MongoStore(
                config,
                client,
                new Parts(
                        documents,
                        failures,
                        records,
                        clients,
                        new Sweep(config, documents, clients),
                        looker,
                        busy,
                        timer));
    }

    @Override
    public Capabilities capabilities() {
        return new Capabilities(true, Capabilities.Signals.LOOKED, Duration.ofMillis(100))
                .withFairPlaces(LIMITS.fairPlaces())
                .withRenewalBatch(RENEWALS);
    }

    @Override
    public String describe() {
        return parts.failures().address();
    }

    @Override
    public ServerClock clock(String name) {
        return clock;
    }

    // ---- locks that nobody waits for

    @Override
    public CompletionStage<Acquire.Reply> acquire(Acquire exact) {
        // a lease is kept in milliseconds, and must not end early
        Acquire request = exact.withLease(
                Duration.ofMillis(exact.lease().plusNanos(999_999).toMillis()));
        RecordKey key = keys.lock(request.name());
        boolean plain = request.share().equals(Share.LOCK)
                && request.behind().isEmpty()
                && request.notAfter() > 0
                && !parts.busy().contains(key);
        return MongoRecords.start(() -> plain ? grant(key, request) : Optional.<Acquire.Reply>empty())
                .thenCompose(granted -> granted.<CompletionStage<Acquire.Reply>>map(CompletableFuture::completedStage)
                        .orElseGet(() -> decided(request)));
    }

    private CompletionStage<Acquire.Reply> decided(Acquire request) {
        return super.acquire(request).thenApply(reply -> {
            parts.clients().introduce();
            return reply;
        });
    }

    private Optional<Acquire.Reply> grant(RecordKey key, Acquire request) {
        Optional<Long> known = Optional.ofNullable(lastWrites.get(key));
        Optional<Documents.Grant> granted = parts.failures()
                .calling(
                        "acquire " + quoted(request.name()),
                        () -> parts.documents()
                                .acquire(
                                        key,
                                        request.tenure().toString(),
                                        request.lease().toMillis(),
                                        known,
                                        request.notAfter()));
        granted.ifPresentOrElse(grant -> noteWrite(key, grant.number()), () -> lastWrites.remove(key));
        return granted.map(grant -> new Acquire.Granted(
                TokenUnits.tokens(grant.unit(), 1), request.lease(), 0, List.of(), 0, grant.nowMicros()));
    }

    @Override
    public CompletionStage<Release.Reply> release(Release request) {
        RecordKey key = keys.lock(request.name());
        boolean plain = request.mode() == Mode.LOCK
                && request.places().isEmpty()
                && !parts.busy().contains(key);
        return MongoRecords.start(() -> plain ? releaseNow(key, request) : Optional.<Release.Reply>empty())
                .thenCompose(released -> released.map(CompletableFuture::completedStage)
                        .orElseGet(() -> super.release(request.withKeptToken(0))))
                .thenApply(reply -> {
                    parts.sweep().startIfDue(reply.serverMicros());
                    return reply;
                });
    }

    /** Releases a lock that nobody waits for. An update without a pipeline cannot mark the release by a token. */
    private Optional<Release.Reply> releaseNow(RecordKey key, Release request) {
        return parts.failures()
                .calling(
                        "release " + quoted(request.name()),
                        () -> parts.documents().release(key, request.tenure().toString()))
                .map(released -> {
                    noteWrite(key, released.number());
                    return new Release.Reply(true, 0, released.nowMicros());
                });
    }

    @Override
    public CompletionStage<List<Renew.Reply>> renew(List<Renew> batch) {
        parts.clients().introduce();
        return super.renew(batch);
    }

    private void noteWrite(RecordKey key, long number) {
        if (lastWrites.size() >= MOST_REMEMBERED) {
            lastWrites.clear();
        }
        lastWrites.put(key, number);
    }

    // ---- signals, and the end

    @Override
    public CompletionStage<Void> confirmSignals() {
        return parts.looker().confirm();
    }

    private void endWaits(RecordKey key) {
        var unused = parts.records()
                .update(
                        key,
                        (record, moment) -> new Decision<>(
                                record.withoutWaitsOf(config.client().id()), true, List.of()))
                .exceptionally(failed -> false);
    }

    /**
     * Closes the store. Its waits end at once, as far as that is possible within the command timeout. Its holds stay. The driver works
     * on a thread of its own, because an interrupt of the caller would end its requests.
     */
    @Override
    public void close() {
        if (closed.getAndSet(true)) {
            return;
        }
        try (Platform.Worker closer =
                config.platform().worker("holdfast-" + config.client().id() + "-close", 1)) {
            var unused = CompletableFuture.runAsync(this::leave, closer)
                    .completeOnTimeout(
                            null, config.commandTimeout().multipliedBy(2).toMillis(), TimeUnit.MILLISECONDS)
                    .join();
        }
    }

    private void leave() {
        long end = config.platform().nanoTime() + config.commandTimeout().toNanos();
        try {
            parts.looker().awaited().stream()
                    .takeWhile(key -> config.platform().nanoTime() - end < 0)
                    .forEach(this::endWaits);
            parts.clients().leave();
        } finally {
            parts.looker().close();
            parts.sweep().close();
            parts.timer().close();
            client.close();
        }
    }
}
