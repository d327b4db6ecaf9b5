package io.holdfast.memory;

import io.holdfast.PermitHolder;
import io.holdfast.SemaphoreReport;
import io.holdfast.spi.Acquire;
import io.holdfast.spi.Acquire.Queueing;
import io.holdfast.spi.Change;
import io.holdfast.spi.PermitReport;
import io.holdfast.spi.Release;
import io.holdfast.spi.Renew;
import io.holdfast.spi.Share.Mode;
import io.holdfast.spi.Signal;
import io.holdfast.spi.StoreException;
import io.holdfast.spi.TenureId;
import io.holdfast.spi.TokenBlock;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The semaphores of a {@link MemoryServer}, and every decision on them. Guarded by its mutex. */
final class Semaphores {

    private final MemoryServer server;

    /** The names in the order of use, so that forgotten ones are at the front. */
    private final Map<String, SemaphoreCell> cells = new LinkedHashMap<>(16, 0.75f, true);

    Semaphores(MemoryServer server) {
        this.server = server;
    }

    private SemaphoreCell find(String key, long now) {
        var eldest = cells.values().iterator();
        while (eldest.hasNext() && eldest.next().isForgotten(now)) {
            eldest.remove();
        }
        SemaphoreCell cell = cells.getOrDefault(key, new SemaphoreCell());
        cell.expire(now);
        return cell;
    }

    void dropPlaces(String clientId) {
        cells.values().forEach(cell -> cell.dropPlaces(clientId));
    }

    // ---- permits held

    Acquire.Reply acquire(String key, String name, Acquire request, long now) {
        if (now > request.notAfter()) {
            return new Acquire.Late(now);
        }
        SemaphoreCell cell = find(key, now);
        requireEnough(cell, name, request.share().permits());
        if (!cell.isHeldBy(request.tenure())) {
            serve(key, cell, now);
        }
        return cell.isHeldBy(request.tenure()) || cell.admits(request)
                ? grant(cell, request, now)
                : refuse(cell, request, now);
    }

    private static void requireEnough(SemaphoreCell cell, String name, int wanted) {
        if (cell.limit().isEmpty()) {
            throw refused("the semaphore '" + name + "' has no permits yet: call trySetPermits first");
        }
        if (wanted > cell.limit().getAsInt()) {
            throw refused("the semaphore '" + name + "' has " + cell.limit().getAsInt() + " permits in all, and "
                    + wanted + " were requested: request fewer, or add some with addPermits");
        }
    }

    private static StoreException refused(String text) {
        return new StoreException(StoreException.Effect.REFUSED, text);
    }

    private static Acquire.Reply grant(SemaphoreCell cell, Acquire request, long now) {
        int wanted = request.share().permits();
        int count = wanted == 0 ? cell.free() : wanted;
        TokenBlock tokens =
                cell.grant(request.tenure(), count, MemoryServer.micros(request.lease()), request.tokens(), now);
        return new Acquire.Granted(tokens, cell.waiting(), List.of(), cell.count(request.tenure()), now);
    }

    private Acquire.Reply refuse(SemaphoreCell cell, Acquire request, long now) {
        if (request.queueing() != Queueing.NONE) {
            enqueue(cell, request, now);
        }
        long next = cell.nextExpiry().map(at -> at - now).orElse(MemoryServer.CLAIM_WINDOW);
        return new Acquire.Refused(
                Duration.of(next, ChronoUnit.MICROS),
                cell.place(request.tenure()).map(Place::arrival).orElse(0L),
                List.of(),
                cell.holders().stream().findFirst().map(TenureId::toString),
                now,
                server.run());
    }

    private void enqueue(SemaphoreCell cell, Acquire request, long now) {
        TenureId tenure = request.tenure();
        long arrival = cell.place(tenure)
                .map(Place::arrival)
                .orElseGet(() -> server.arrival(new Acquire.Place(tenure, request.arrival(), request.lease()), now));
        cell.enqueue(new Place(
                tenure,
                Mode.PERMITS,
                arrival,
                request.queueing() == Queueing.FAIR,
                now,
                MemoryServer.micros(request.lease()),
                request.tokens(),
                request.share().permits()));
    }

    Renew.Reply renew(String key, Renew request, long now) {
        SemaphoreCell cell = find(key, now);
        if (!cell.isHeldBy(request.tenure())) {
            return new Renew.Lost();
        }
        cell.extend(request.tenure(), MemoryServer.micros(request.lease()), now);
        Optional<TokenBlock> tokens =
                request.tokens() > 0 ? Optional.of(cell.nextTokens(request.tokens(), now)) : Optional.empty();
        return new Renew.Renewed(cell.waiting(), tokens, now);
    }

    Release.Reply release(String key, Release request, long now) {
        SemaphoreCell cell = find(key, now);
        boolean held = cell.free(request.tenure());
        cell.withdraw(request.tenure());
        request.places().forEach(cell::withdraw);
        serve(key, cell, now);
        return new Release.Reply(held, cell.waiting(), now);
    }

    private void serve(String key, SemaphoreCell cell, long now) {
        cell.serve(MemoryServer.CLAIM_WINDOW, now, (place, tokens) -> {
            TenureId tenure = place.tenure();
            long expires = cell.expires(tenure);
            server.tell(
                    tenure.clientId(),
                    key,
                    name -> new Signal.Assigned(name, tenure, Mode.PERMITS, tokens, 0, 0, expires, server.run()));
        });
    }

    // ---- numbers of permits

    boolean revoke(String key, TenureId permit, long now) {
        SemaphoreCell cell = find(key, now);
        boolean held = cell.free(permit);
        if (held) {
            server.tell(permit.clientId(), key, name -> new Signal.Revoked(name, permit));
            serve(key, cell, now);
        }
        return held;
    }

    List<SemaphoreReport> list(MemoryStore asker, String keyPrefix, long now) {
        return List.copyOf(cells.entrySet()).stream()
                .filter(each -> each.getKey().startsWith(keyPrefix))
                .filter(each -> each.getValue().limit().isPresent())
                .map(each -> report(each.getKey(), now).of(asker.name(each.getKey())))
                .toList();
    }

    PermitReport report(String key, long now) {
        SemaphoreCell cell = find(key, now);
        List<PermitHolder> holders = cell.holders().stream()
                .map(tenure -> new PermitHolder(
                        tenure.toString(),
                        cell.count(tenure),
                        server.client(tenure.clientId()),
                        Duration.of(cell.expires(tenure) - now, ChronoUnit.MICROS)))
                .toList();
        return new PermitReport(cell.limit(), holders, cell.waiting());
    }

    /** Returns {@code true} if the change was applied. */
    boolean change(String key, Change request, long now) {
        SemaphoreCell cell = find(key, now);
        Optional<Boolean> before = cell.applied.answer(request.id());
        if (before.isPresent()) {
            return before.get();
        }
        boolean applied = apply(cell, request);
        cell.applied.note(request.id(), applied, now);
        cells.put(key, cell);
        serve(key, cell, now);
        return applied;
    }

    private static boolean apply(SemaphoreCell cell, Change request) {
        boolean given = cell.limit().isPresent();
        switch (request.kind()) {
            case TRY_PERMITS -> {
                if (!given) {
                    cell.limit(request.amount());
                }
                return !given;
            }
            case SET_PERMITS -> cell.limit(request.amount());
            case ADD_PERMITS -> cell.limit(sum(cell, request));
            case DELETE_PERMITS -> {
                boolean unused = given && !cell.isInUse();
                if (unused) {
                    cell.forget();
                }
                return unused;
            }
            default -> throw new IllegalArgumentException(request.kind() + " is not a change of a semaphore");
        }
        return true;
    }

    private static int sum(SemaphoreCell cell, Change request) {
        requireEnough(cell, request.name(), 0);
        long sum = (long) cell.limit().getAsInt() + request.amount();
        if (sum < 1 || sum > Integer.MAX_VALUE) {
            throw refused("the semaphore '" + request.name() + "' has "
                    + cell.limit().getAsInt() + " permits in all, which cannot become " + sum + ": 1 to "
                    + Integer.MAX_VALUE + " are allowed");
        }
        return (int) sum;
    }
}
