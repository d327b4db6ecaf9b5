package io.holdfast.memory;

import io.holdfast.LockReport;
import io.holdfast.spi.Acquire;
import io.holdfast.spi.Acquire.Queueing;
import io.holdfast.spi.Platform;
import io.holdfast.spi.Release;
import io.holdfast.spi.Renew;
import io.holdfast.spi.Share;
import io.holdfast.spi.Share.Mode;
import io.holdfast.spi.Signal;
import io.holdfast.spi.StoreConfig.HoldDescription;
import io.holdfast.spi.StoreException;
import io.holdfast.spi.TenureId;
import io.holdfast.spi.TokenBlock;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import java.util.function.LongFunction;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The state that the clients of one memory store share, and every decision on it.
 *
 * <p>Keys are lock names with the prefix of their client. The server has its own clock. It starts at the wall clock of the
 * first client, and never steps afterwards.
 */
final class MemoryServer {

    static final long CLAIM_WINDOW = 1_000_000;

    private final ReentrantLock mutex = new ReentrantLock();
    private final Platform platform;
    private final long startNanos;
    private final long startMicros;
    private final long run;

    /** The names in the order of use, so that forgotten ones are at the front. */
    private final Map<String, Cell> cells = new LinkedHashMap<>(16, 0.75f, true);

    final Semaphores semaphores = new Semaphores(this);
    final Latches latches = new Latches(this);
    private final Map<String, MemoryStore> clients = new HashMap<>();
    private long lastArrival;

    MemoryServer(Platform platform) {
        this.platform = platform;
        startNanos = platform.nanoTime();
        startMicros = platform.wallMillis() * 1_000;
        run = platform.randomLong() | 1;
    }

    /** Returns the id of this run, which differs for each server. */
    long run() {
        return run;
    }

    void connect(MemoryStore client) {
        locked(() -> clients.put(client.id(), client));
    }

    /**
     * Ends the waits of the client. Its holds stay until their leases end.
     *
     * @return {@code true} if the client was connected
     */
    boolean disconnect(MemoryStore client) {
        return locked(() -> {
            boolean connected = clients.remove(client.id(), client);
            if (connected) {
                cells.values().forEach(cell -> cell.dropPlaces(client.id()));
                semaphores.dropPlaces(client.id());
                latches.forget(client.id());
            }
            return connected;
        });
    }

    Acquire.Reply acquire(MemoryStore client, String key, Acquire request) {
        return decide(client, now -> {
            if (now > request.notAfter()) {
                return new Acquire.Late(now);
            }
            Cell cell = cells.computeIfAbsent(key, absent -> new Cell());
            cell.expire(now);
            requireKind(cell, client.name(key), request.share().mode());
            requireReading(cell, client.name(key), request);
            if (cell.isFree() && cell.isFairBefore(arrivalOf(cell, request))) {
                serveNext(key, cell, false, now);
            }
            // the served client may only have been woken, or may be dead
            return mayHave(cell, request) || cell.isHeldBy(request.tenure())
                    ? grant(key, cell, request, now)
                    : refuse(key, cell, request, now);
        });
    }

    /** Acquires all names or none of them. Each name is checked before any is changed. */
    List<Acquire.Reply> acquire(MemoryStore client, List<Acquire> all) {
        return decide(client, now -> {
            if (all.stream().anyMatch(request -> now > request.notAfter())) {
                return all.stream()
                        .<Acquire.Reply>map(request -> new Acquire.Late(now))
                        .toList();
            }
            List<Acquire> inTheWay = all.stream()
                    .filter(request -> !mayHave(client, request, now))
                    .toList();
            return all.stream()
                    .map(request -> together(client.key(request.name()), request, inTheWay, now))
                    .toList();
        });
    }

    private Acquire.Reply together(String key, Acquire request, List<Acquire> inTheWay, long now) {
        if (inTheWay.isEmpty()) {
            return grant(key, cells.computeIfAbsent(key, absent -> new Cell()), request, now);
        }
        return inTheWay.contains(request)
                ? refuse(key, find(key, now), request, now)
                : new Acquire.Refused(Duration.ZERO, 0, List.of(), Optional.empty(), now, run);
    }

    private boolean mayHave(MemoryStore client, Acquire request, long now) {
        Cell cell = find(client.key(request.name()), now);
        requireKind(cell, request.name(), request.share().mode());
        return mayHave(cell, request) || cell.isHeldBy(request.tenure());
    }

    private static void requireKind(Cell cell, String name, Mode wanted) {
        if (cell.isOfOtherKind(wanted)) {
            throw new StoreException(
                    StoreException.Effect.REFUSED,
                    "the name '" + name + "' is held as "
                            + (wanted == Mode.LOCK
                                    ? "a read/write lock, and requested as a lock"
                                    : "a lock, and requested as a read/write lock")
                            + "; use it as one of them only, or rename one");
        }
    }

    /** Refuses an upgrade if the reader lost its hold, because others may have written. */
    private static void requireReading(Cell cell, String name, Acquire request) {
        boolean reads = request.share().beside().filter(cell::isHeldBy).isPresent();
        if (request.share().isUpgrade() && !reads && !cell.isHeldBy(request.tenure())) {
            throw new StoreException(
                    StoreException.Effect.REFUSED,
                    "the name '" + name + "' is no longer held by the reader that wants to write");
        }
    }

    private static boolean mayHave(Cell cell, Acquire request) {
        Share share = request.share();
        long arrival = arrivalOf(cell, request);
        boolean beside = share.beside().filter(cell::isHeldBy).isPresent();
        boolean joins = share.mode() != Mode.LOCK && !cell.isFree() && !beside;
        return cell.admits(share.mode(), share.beside())
                && !(cell.isFree() && cell.isFairBefore(arrival))
                && !(joins && cell.isWriterBefore(arrival));
    }

    private static long arrivalOf(Cell cell, Acquire request) {
        long before = request.arrival() == 0 ? Long.MAX_VALUE : request.arrival();
        return cell.place(request.tenure()).map(Place::arrival).orElse(before);
    }

    private Acquire.Reply grant(String key, Cell cell, Acquire request, long now) {
        Mode mode = request.share().mode();
        var tokens = cell.grant(request.tenure(), mode, micros(request.lease()), request.tokens(), now);
        List<Long> behind = enqueueBehind(key, cell, request, now);
        return new Acquire.Granted(tokens, cell.foreignWaiters(request.tenure()), behind, now);
    }

    private Acquire.Reply refuse(String key, Cell cell, Acquire request, long now) {
        boolean hasPlace = cell.place(request.tenure()).isPresent();
        if (hasPlace || request.queueing() == Queueing.NONE) {
            tellIfLingering(key, cell, request.tenure());
        }
        if (request.queueing() != Queueing.NONE) {
            boolean fair = request.queueing() == Queueing.FAIR;
            enqueue(
                    key,
                    cell,
                    request,
                    new Acquire.Place(request.tenure(), request.arrival(), request.lease()),
                    fair,
                    now);
        }
        List<Long> behind = enqueueBehind(key, cell, request, now);
        return new Acquire.Refused(
                Duration.of(cell.isFree() ? CLAIM_WINDOW : cell.expires() - now, ChronoUnit.MICROS),
                cell.place(request.tenure()).map(Place::arrival).orElse(0L),
                behind,
                cell.holders().stream().findFirst().map(TenureId::toString),
                now,
                run);
    }

    /**
     * Notifies the holder of a lingering lock. A request without a new position in the queue would not reach a holder that has
     * no use for the lock.
     */
    private void tellIfLingering(String key, Cell cell, TenureId asking) {
        cell.holders().stream()
                .filter(holder -> holder.lingers() && !holder.clientId().equals(asking.clientId()))
                .forEach(holder -> tell(holder.clientId(), key, Signal.Wanted::new));
    }

    private List<Long> enqueueBehind(String key, Cell cell, Acquire request, long now) {
        return request.behind().stream()
                .map(place -> enqueue(key, cell, request, place, true, now))
                .toList();
    }

    private long enqueue(String key, Cell cell, Acquire request, Acquire.Place wanted, boolean fair, long now) {
        TenureId tenure = wanted.tenure();
        Optional<Place> old = cell.place(tenure);
        long arrival = old.map(Place::arrival)
                .orElseGet(() -> request.share().isUpgrade() ? now - Place.FRONT : arrival(wanted, now));
        cell.enqueue(new Place(
                tenure, request.share().mode(), arrival, fair, now, micros(wanted.lease()), request.tokens(), 0));
        if (old.isEmpty()) {
            boolean alsoMine = request.share().mode() != Mode.LOCK;
            cell.holders().stream()
                    .map(TenureId::clientId)
                    .distinct()
                    .filter(holder -> alsoMine || !holder.equals(tenure.clientId()))
                    .forEach(holder -> tell(holder, key, Signal.Wanted::new));
        }
        return arrival;
    }

    long arrival(Acquire.Place wanted, long now) {
        if (wanted.arrival() != 0) {
            return wanted.arrival();
        }
        lastArrival = Math.max(lastArrival + 1, now);
        return lastArrival;
    }

    Renew.Reply renew(MemoryStore client, String key, Renew request) {
        return decide(client, now -> {
            Cell cell = find(key, now);
            if (!cell.isHeldBy(request.tenure(), request.mode())) {
                return new Renew.Lost();
            }
            cell.extend(request.tenure(), request.mode(), micros(request.lease()), now);
            cell.raise(request.floor());
            Optional<TokenBlock> tokens =
                    request.tokens() > 0 ? Optional.of(cell.nextTokens(request.tokens(), now)) : Optional.empty();
            return new Renew.Renewed(cell.foreignWaiters(request.tenure()), tokens, now);
        });
    }

    Release.Reply release(MemoryStore client, String key, Release request) {
        return decide(client, now -> {
            Cell cell = find(key, now);
            boolean held = cell.isHeldBy(request.tenure(), request.mode());
            if (held) {
                cell.returnTokens(request.lastToken());
                cell.free(request.tenure());
            }
            cell.withdraw(request.tenure());
            request.places().forEach(cell::withdraw);
            serveNext(key, cell, request.yield(), now);
            return new Release.Reply(held, cell.foreignWaiters(request.tenure()), now);
        });
    }

    Optional<LockReport.Holder> forceRelease(MemoryStore client, String key) {
        return decide(client, now -> {
            Cell cell = find(key, now);
            LockReport before = report(client, key, cell, now);
            cell.holders().forEach(tenure -> {
                cell.free(tenure);
                tell(tenure.clientId(), key, name -> new Signal.Revoked(name, tenure));
            });
            serveNext(key, cell, false, now);
            return before.holder();
        });
    }

    /**
     * Serves the first position. If it is a reader, all readers that follow it are served as well. A reader that waits to write
     * is notified to ask.
     */
    private void serveNext(String key, Cell cell, boolean yield, long now) {
        cell.whoMayUpgrade().forEach(place -> tell(place.tenure().clientId(), key, Signal.Freed::new));
        Optional<Place> next = cell.takeFirst();
        while (next.isPresent()) {
            Place place = next.get();
            boolean reads = place.mode() != Mode.LOCK && place.mode() != Mode.WRITE;
            if (yield || place.fair() || place.mode() != Mode.LOCK) {
                assign(key, cell, place, now);
            } else {
                tell(place.tenure().clientId(), key, Signal.Freed::new);
            }
            next = reads ? cell.takeFirst() : Optional.empty();
        }
    }

    private void assign(String key, Cell cell, Place next, long now) {
        TenureId tenure = next.tenure();
        var tokens = cell.assign(next, Math.min(CLAIM_WINDOW, next.leaseMicros()), now);
        int waiters = cell.foreignWaiters(tenure);
        long own = cell.fairFirstOf(tenure.clientId());
        long expires = cell.expires(tenure);
        tell(
                tenure.clientId(),
                key,
                name -> new Signal.Assigned(name, tenure, next.mode(), tokens, waiters, own, expires, run));
    }

    LockReport inspect(MemoryStore client, String key) {
        return decide(client, now -> report(client, key, find(key, now), now));
    }

    List<LockReport> list(MemoryStore client, String keyPrefix) {
        return decide(client, now -> {
            List<LockReport> found = new ArrayList<>();
            cells.forEach((key, cell) -> {
                cell.expire(now);
                if (key.startsWith(keyPrefix) && cell.isInUse()) {
                    found.add(report(client, key, cell, now));
                }
            });
            return found;
        });
    }

    /** Reports the state, and asks the holder's client, which answers at once. */
    private LockReport report(MemoryStore asker, String key, Cell cell, long now) {
        List<LockReport.Holder> holders = cell.holders().stream()
                .map(tenure -> holder(key, cell, tenure, now))
                .toList();
        List<LockReport.Waiter> waiters =
                cell.waiters().stream().map(this::waiter).toList();
        return new LockReport(asker.name(key), holders, waiters, cell.lastToken());
    }

    private LockReport.Holder holder(String key, Cell cell, TenureId tenure, long now) {
        MemoryStore store = clients.get(tenure.clientId());
        return HoldDescription.holder(
                client(tenure.clientId()),
                cell.mode(tenure),
                store == null ? Optional.empty() : store.describeHold(key, tenure),
                Duration.of(cell.expires(tenure) - now, ChronoUnit.MICROS));
    }

    private LockReport.Waiter waiter(Place place) {
        return new LockReport.Waiter(
                client(place.tenure().clientId()), Instant.EPOCH.plus(place.since(), ChronoUnit.MICROS));
    }

    LockReport.Client client(String id) {
        MemoryStore store = clients.get(id);
        return store == null ? LockReport.Client.unknown(id) : store.client();
    }

    /** Sends a signal to a client. Does nothing if the client is closed. */
    void tell(String clientId, String key, Function<String, Signal> signal) {
        MemoryStore store = clients.get(clientId);
        if (store != null) {
            store.deliver(signal.apply(store.name(key)));
        }
    }

    /** Makes a decision for a client, unless the client is closed. */
    <T> T decide(MemoryStore client, LongFunction<T> decision) {
        return locked(() -> {
            if (clients.get(client.id()) != client) {
                throw new StoreException(
                        StoreException.Effect.NOT_APPLIED, client.describe() + " is closed; connect again");
            }
            long now = now();
            var eldest = cells.values().iterator();
            while (eldest.hasNext() && eldest.next().isForgotten(now)) {
                eldest.remove();
            }
            return decision.apply(now);
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

    /** Returns the state of the name. For an unknown name it returns a new state that is not kept, so its changes are lost. */
    private Cell find(String key, long now) {
        Cell cell = cells.getOrDefault(key, new Cell());
        cell.expire(now);
        return cell;
    }

    static long micros(Duration lease) {
        return TimeUnit.MICROSECONDS.convert(lease);
    }

    private long now() {
        return startMicros + (platform.nanoTime() - startNanos) / 1_000;
    }
}
