package io.holdfast.memory;

import io.holdfast.spi.Capabilities;
import io.holdfast.spi.Capabilities.Signals;
import io.holdfast.spi.Platform;
import io.holdfast.spi.StoreException;
import io.holdfast.support.record.Decider;
import io.holdfast.support.record.Decision;
import io.holdfast.support.record.Limits;
import io.holdfast.support.record.LockRecord;
import io.holdfast.support.record.Moment;
import io.holdfast.support.record.Notice;
import io.holdfast.support.store.Found;
import io.holdfast.support.store.RecordKey;
import io.holdfast.support.store.RecordUpdate;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The records that the clients of one memory store share.
 *
 * <p>Invariants:
 *
 * <ol>
 *   <li>Every request is one critical section of one mutex, and reads the clock once inside it.
 *   <li>Signals are only enqueued under the mutex. Each client delivers its signals on a thread of its own, so no receiver of a
 *       signal runs under the mutex.
 *   <li>The clock of the server starts at the wall clock of the first client, and never steps.
 * </ol>
 */
final class MemoryServer {

    /** The number of records that each request checks for removal. It is more than one, so that the check outruns new names. */
    private static final int CHECKS_PER_REQUEST = 2;

    private static final Capabilities CAPABILITIES = new Capabilities(false, Signals.PUSHED, Duration.ofMillis(100));

    private final ReentrantLock mutex = new ReentrantLock();
    private final Platform platform;
    private final long startNanos;
    private final long startMicros;
    private final long run;
    private final Capabilities capabilities;

    // ---- guarded by the mutex

    private final Decider decider;

    /** The records by name. The least recently used record is the first. */
    private final Map<RecordKey, LockRecord> records = new LinkedHashMap<>(16, 0.75f, true);

    private final Map<String, MemoryClient> clients = new HashMap<>();

    MemoryServer(Platform platform, Limits limits) {
        this.platform = platform;
        decider = new Decider(limits);
        capabilities = CAPABILITIES
                .withClaimWindow(Duration.of(limits.claimMicros(), ChronoUnit.MICROS))
                .withFairPlaces(limits.fairPlaces())
                .withMarkedReleases();
        startNanos = platform.nanoTime();
        startMicros = platform.wallMillis() * 1_000;
        run = platform.randomLong() | 1;
    }

    Capabilities capabilities() {
        return capabilities;
    }

    Decider decider() {
        return decider;
    }

    void connect(MemoryClient client) {
        locked(() -> clients.put(client.id(), client));
    }

    /**
     * Ends the waits of the client. Its holds stay until their leases end.
     *
     * @return {@code true} if the client was connected
     */
    boolean disconnect(MemoryClient client) {
        return locked(() -> {
            boolean connected = clients.remove(client.id(), client);
            if (connected) {
                records.replaceAll((key, record) -> record.withoutWaitsOf(client.id()));
            }
            return connected;
        });
    }

    /** Returns {@code true}, and throws if the client is closed. */
    boolean requireConnected(MemoryClient client) {
        return atomically(client, moment -> true);
    }

    /** Returns the client with the given id; empty if it is closed. */
    Optional<MemoryClient> connected(String clientId) {
        return locked(() -> Optional.ofNullable(clients.get(clientId)));
    }

    /** Decides a request of a client for one name. */
    <R> R update(MemoryClient client, RecordKey key, RecordUpdate<R> update) {
        return atomically(client, moment -> apply(key, update.decide(record(key), moment)));
    }

    /** Returns the record of a name. */
    Found read(MemoryClient client, RecordKey key) {
        return atomically(client, moment -> new Found(key, record(key), moment));
    }

    /** Returns the records under a prefix. */
    List<Found> list(MemoryClient client, RecordKey prefix) {
        return atomically(
                client,
                moment -> records.entrySet().stream()
                        .filter(entry -> entry.getKey().isBelow(prefix))
                        .map(entry -> new Found(entry.getKey(), entry.getValue(), moment))
                        .toList());
    }

    private LockRecord record(RecordKey key) {
        return records.getOrDefault(key, LockRecord.EMPTY);
    }

    /** Stores the record of a decision, and sends its notices to the clients that are connected. */
    private <R> R apply(RecordKey key, Decision<R> decision) {
        records.put(key, decision.record());
        for (Notice notice : decision.notices()) {
            connected(notice.to().clientId()).ifPresent(client -> client.deliver(notice.named(client.name(key))));
        }
        return decision.reply();
    }

    /** Runs an action for a client, unless the client is closed. */
    private <T> T atomically(MemoryClient client, Function<Moment, T> action) {
        return locked(() -> {
            if (clients.get(client.id()) != client) {
                throw new StoreException(
                        StoreException.Effect.NOT_APPLIED, client.describe() + " is closed; connect again");
            }
            Moment moment = Moment.of(now(), run);
            for (int i = 0; i < CHECKS_PER_REQUEST && !records.isEmpty(); i++) {
                checkEldest(moment.now());
            }
            return action.apply(moment);
        });
    }

    /** Removes the least recently used record if it is forgotten. Otherwise, the read moves the record behind all others. */
    private void checkEldest(long now) {
        RecordKey eldest = records.keySet().iterator().next();
        if (Objects.requireNonNull(records.get(eldest)).isForgotten(now)) {
            records.remove(eldest);
        }
    }

    private <T extends @Nullable Object> T locked(Supplier<T> action) {
        mutex.lock();
        try {
            return action.get();
        } finally {
            mutex.unlock();
        }
    }

    private long now() {
        return startMicros + (platform.nanoTime() - startNanos) / 1_000;
    }
}
