package io.holdfast.memory;

import io.holdfast.LockReport;
import io.holdfast.spi.Acquire;
import io.holdfast.spi.Platform;
import io.holdfast.spi.Release;
import io.holdfast.spi.Renew;
import io.holdfast.spi.Signal;
import io.holdfast.spi.StoreException;
import io.holdfast.spi.TenureId;
import io.holdfast.spi.TokenBlock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The state that the clients of one memory store share, and every decision on it.
 *
 * <p>Keys are lock names with their client's prefix. The clock is its own: it starts at the wall clock of the client that
 * came first and never steps after that.
 */
final class MemoryServer {

    private static final long CLAIM_WINDOW = Micros.of(Duration.ofSeconds(1));

    private final ReentrantLock mutex = new ReentrantLock();
    private final Platform platform;
    private final long startNanos;
    private final long startMicros;
    private final long run;

    /** In order of use, so that the forgotten ones are found at the front. */
    private final Map<String, Cell> cells = new LinkedHashMap<>(16, 0.75f, true);

    private final Map<String, MemoryStore> clients = new HashMap<>();
    private long lastArrival;

    MemoryServer(Platform platform) {
        this.platform = platform;
        startNanos = platform.nanoTime();
        startMicros = platform.wallMillis() * 1_000;
        run = platform.randomLong() | 1;
    }

    void connect(MemoryStore client) {
        locked(() -> clients.put(client.id(), client));
    }

    /**
     * Ends the client's waiting; what it holds stays until its lease ends.
     *
     * @return whether it was connected
     */
    boolean disconnect(MemoryStore client) {
        return locked(() -> {
            boolean connected = clients.remove(client.id(), client);
            if (connected) {
                cells.values().forEach(cell -> cell.dropPlaces(client.id()));
            }
            return connected;
        });
    }

    /**
     * Checks that the client has not closed.
     *
     * @return the client
     */
    MemoryStore requireConnected(MemoryStore client) {
        return locked(() -> {
            if (clients.get(client.id()) != client) {
                throw new StoreException(
                        StoreException.Effect.NOT_APPLIED, client.describe() + " is closed; connect again");
            }
            return client;
        });
    }

    Acquire.Reply acquire(MemoryStore client, String key, Acquire request) {
        return decide(client, () -> {
            long now = now();
            if (now > request.notAfter()) {
                return new Acquire.Late(now);
            }
            Cell cell = cells.computeIfAbsent(key, absent -> new Cell());
            cell.expire(now);
            return cell.isFree() || cell.isHeldBy(request.tenure())
                    ? grant(cell, request, now)
                    : refuse(key, cell, request, now);
        });
    }

    private static Acquire.Reply grant(Cell cell, Acquire request, long now) {
        var tokens = cell.grant(request.tenure(), Micros.of(request.lease()), request.tokens(), now);
        return new Acquire.Granted(tokens, cell.foreignWaiters(request.tenure()), now);
    }

    private Acquire.Reply refuse(String key, Cell cell, Acquire request, long now) {
        if (request.enqueue()) {
            enqueue(key, cell, request, now);
        }
        return new Acquire.Refused(
                Micros.toDuration(cell.expires() - now),
                cell.place(request.tenure()).map(Place::arrival).orElse(0L),
                cell.holder().map(TenureId::toString),
                now,
                run);
    }

    private void enqueue(String key, Cell cell, Acquire request, long now) {
        TenureId tenure = request.tenure();
        Optional<Place> old = cell.place(tenure);
        long arrival = old.map(Place::arrival).orElseGet(() -> arrival(request, now));
        cell.enqueue(new Place(tenure, arrival, now, Micros.of(request.lease()), request.tokens()));
        if (old.isEmpty()) {
            cell.holder()
                    .map(TenureId::clientId)
                    .filter(holder -> !holder.equals(tenure.clientId()))
                    .ifPresent(holder -> tell(holder, key, Signal.Wanted::new));
        }
    }

    private long arrival(Acquire request, long now) {
        if (request.arrival() != 0) {
            return request.arrival();
        }
        lastArrival = Math.max(lastArrival + 1, now);
        return lastArrival;
    }

    Renew.Reply renew(MemoryStore client, String key, Renew request) {
        return decide(client, () -> {
            long now = now();
            Cell cell = find(key, now);
            if (cell == null || !cell.isHeldBy(request.tenure())) {
                return new Renew.Lost();
            }
            cell.extend(Micros.of(request.lease()), now);
            Optional<TokenBlock> tokens =
                    request.tokens() > 0 ? Optional.of(cell.nextTokens(request.tokens(), now)) : Optional.empty();
            return new Renew.Renewed(cell.foreignWaiters(request.tenure()), tokens, now);
        });
    }

    Release.Reply release(MemoryStore client, String key, Release request) {
        return decide(client, () -> {
            long now = now();
            Cell cell = find(key, now);
            if (cell == null) {
                return new Release.Reply(false, 0, now);
            }
            boolean held = cell.isHeldBy(request.tenure());
            if (held) {
                cell.returnTokens(request.lastToken());
                cell.free();
            }
            cell.withdraw(request.tenure());
            serveNext(key, cell, request.yield(), now);
            return new Release.Reply(held, cell.foreignWaiters(request.tenure()), now);
        });
    }

    Snapshot forceRelease(MemoryStore client, String key) {
        return decide(client, () -> {
            long now = now();
            Cell cell = find(key, now);
            if (cell == null) {
                return Snapshot.NOTHING;
            }
            Snapshot before = snapshot(key, cell, now);
            cell.holder().ifPresent(tenure -> {
                cell.free();
                tell(tenure.clientId(), key, name -> new Signal.Revoked(name, tenure));
            });
            serveNext(key, cell, false, now);
            return before;
        });
    }

    private void serveNext(String key, Cell cell, boolean yield, long now) {
        if (cell.isFree()) {
            cell.takeFirst().ifPresent(next -> {
                if (yield) {
                    assign(key, cell, next, now);
                } else {
                    tell(next.tenure().clientId(), key, Signal.Freed::new);
                }
            });
        }
    }

    private void assign(String key, Cell cell, Place next, long now) {
        TenureId tenure = next.tenure();
        var tokens = cell.grant(tenure, Math.min(CLAIM_WINDOW, next.leaseMicros()), next.tokens(), now);
        int waiters = cell.foreignWaiters(tenure);
        long expires = cell.expires();
        tell(tenure.clientId(), key, name -> new Signal.Assigned(name, tenure, tokens, waiters, expires, run));
    }

    Snapshot inspect(MemoryStore client, String key) {
        return decide(client, () -> {
            long now = now();
            Cell cell = find(key, now);
            return cell == null ? Snapshot.NOTHING : snapshot(key, cell, now);
        });
    }

    List<Snapshot> list(MemoryStore client, String keyPrefix) {
        return decide(client, () -> {
            long now = now();
            List<Snapshot> found = new ArrayList<>();
            cells.forEach((key, cell) -> {
                cell.expire(now);
                if (key.startsWith(keyPrefix) && cell.isInUse()) {
                    found.add(snapshot(key, cell, now));
                }
            });
            return found;
        });
    }

    private Snapshot snapshot(String key, Cell cell, long now) {
        return new Snapshot(
                key,
                cell.holder(),
                Micros.toDuration(cell.expires() - now),
                cell.waiters().stream().map(this::waiter).toList(),
                cell.lastToken(),
                cell.holder().map(tenure -> clients.get(tenure.clientId())).orElse(null));
    }

    private LockReport.Waiter waiter(Place place) {
        return new LockReport.Waiter(client(place.tenure().clientId()), Micros.toInstant(place.arrival()));
    }

    private LockReport.Client client(String id) {
        MemoryStore store = clients.get(id);
        return store == null ? LockReport.Client.unknown(id) : store.client();
    }

    /** Hands a signal to a client; nothing happens here if the client is gone. */
    private void tell(String clientId, String key, Function<String, Signal> signal) {
        MemoryStore store = clients.get(clientId);
        if (store != null) {
            store.deliver(signal.apply(store.name(key)));
        }
    }

    private <T> T decide(MemoryStore client, Supplier<T> decision) {
        return locked(() -> {
            var unused = requireConnected(client);
            dropForgotten(now());
            return decision.get();
        });
    }

    private <T extends @Nullable Object> T locked(Supplier<T> action) {
        mutex.lock();
        try {
            return action.get();
        } finally {
            mutex.unlock();
        }
    }

    private void dropForgotten(long now) {
        var eldest = cells.values().iterator();
        while (eldest.hasNext() && eldest.next().isForgotten(now)) {
            eldest.remove();
        }
    }

    private @Nullable Cell find(String key, long now) {
        Cell cell = cells.get(key);
        if (cell != null) {
            cell.expire(now);
        }
        return cell;
    }

    private long now() {
        return startMicros + (platform.nanoTime() - startNanos) / 1_000;
    }
}
