package io.holdfast.memory;

import io.holdfast.spi.Acquire;
import io.holdfast.spi.Acquire.Queueing;
import io.holdfast.spi.TenureId;
import io.holdfast.spi.TokenBlock;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.BiConsumer;

/**
 * The state of one semaphore at the server: the number of permits, their holders, and the queue. The queue and the tokens are
 * those of a {@link Cell}. All times are microseconds of the server's clock. Guarded by the server's mutex.
 */
final class SemaphoreCell {

    final Applied applied = new Applied();
    private final Cell line = new Cell();
    private final Map<TenureId, Holding> holders = new LinkedHashMap<>();
    private OptionalInt limit = OptionalInt.empty();

    /**
     * @param unclaimed {@code true} if the permits were assigned to the holder, and no request of the holder has arrived since
     */
    private record Holding(int count, long expires, boolean unclaimed) {}

    /** Removes holders whose lease has ended. If a client let a claim lapse, all its positions are removed. */
    void expire(long now) {
        holders.entrySet().removeIf(entry -> {
            boolean over = now >= entry.getValue().expires();
            if (over && entry.getValue().unclaimed()) {
                line.dropPlaces(entry.getKey().clientId());
            }
            return over;
        });
        line.expire(now);
    }

    OptionalInt limit() {
        return limit;
    }

    void limit(int permits) {
        limit = OptionalInt.of(permits);
    }

    void forget() {
        limit = OptionalInt.empty();
    }

    int free() {
        return limit.orElse(0)
                - holders.values().stream().mapToInt(Holding::count).sum();
    }

    boolean isHeldBy(TenureId tenure) {
        return holders.containsKey(tenure);
    }

    int count(TenureId tenure) {
        Holding holding = holders.get(tenure);
        return holding == null ? 0 : holding.count();
    }

    long expires(TenureId tenure) {
        Holding holding = holders.get(tenure);
        return holding == null ? 0 : holding.expires();
    }

    List<TenureId> holders() {
        return List.copyOf(holders.keySet());
    }

    /** Returns the time when the next lease ends; empty if no permit is held. */
    Optional<Long> nextExpiry() {
        return holders.values().stream().map(Holding::expires).min(Long::compare);
    }

    boolean isInUse() {
        return !holders.isEmpty() || line.isInUse();
    }

    /**
     * Returns {@code true} if nothing is left but a token that was not used for days, and changes that no client sends again.
     */
    boolean isForgotten(long now) {
        expire(now);
        return limit.isEmpty() && holders.isEmpty() && line.isForgotten(now) && applied.isForgotten(now);
    }

    /** Returns {@code true} if the request gets its permits now, after the waiters ahead of it were served. */
    boolean admits(Acquire request) {
        int wanted = request.share().permits();
        long arrival = arrivalOf(request);
        boolean overtakes = request.queueing() == Queueing.FAIR ? isAnyBefore(arrival) : line.isFairBefore(arrival);
        return free() >= Math.max(1, wanted) && !overtakes;
    }

    private long arrivalOf(Acquire request) {
        long before = request.arrival() == 0 ? Long.MAX_VALUE : request.arrival();
        return line.place(request.tenure()).map(Place::arrival).orElse(before);
    }

    private boolean isAnyBefore(long arrival) {
        return line.waiters().stream().anyMatch(place -> place.arrival() < arrival);
    }

    /** Makes the tenure a holder, or keeps it as one, and ends its wait. */
    TokenBlock grant(TenureId tenure, int permits, long leaseMicros, long tokens, long now) {
        int count = isHeldBy(tenure) ? count(tenure) : permits;
        holders.put(tenure, new Holding(count, Math.max(expires(tenure), now + leaseMicros), false));
        line.withdraw(tenure);
        return line.nextTokens(tokens, now);
    }

    /** Renews the lease of a holder, unless the present one ends later. */
    void extend(TenureId tenure, long leaseMicros, long now) {
        holders.put(tenure, new Holding(count(tenure), Math.max(expires(tenure), now + leaseMicros), false));
    }

    TokenBlock nextTokens(long wanted, long now) {
        return line.nextTokens(wanted, now);
    }

    /** Returns {@code true} if the tenure held permits. */
    boolean free(TenureId tenure) {
        return holders.remove(tenure) != null;
    }

    /** Assigns free permits to the waiters in their order, until there are too few for the next one. */
    void serve(long claimMicros, long now, BiConsumer<Place, TokenBlock> served) {
        for (Place place : line.waiters()) {
            if (place.permits() > free()) {
                return;
            }
            line.withdraw(place.tenure());
            long expires = now + Math.min(claimMicros, place.leaseMicros());
            holders.put(place.tenure(), new Holding(place.permits(), expires, true));
            served.accept(place, line.nextTokens(place.tokens(), now));
        }
    }

    Optional<Place> place(TenureId tenure) {
        return line.place(tenure);
    }

    void enqueue(Place place) {
        line.enqueue(place);
    }

    void withdraw(TenureId tenure) {
        line.withdraw(tenure);
    }

    void dropPlaces(String clientId) {
        line.dropPlaces(clientId);
    }

    int waiting() {
        return line.waiters().size();
    }
}
