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
 * What the server keeps for one semaphore: how many permits there are, who holds some, and the queue. The queue and the tokens
 * are those of a {@link Cell}. All times are microseconds of the server's clock. Guarded by the server's mutex.
 */
final class SemaphoreCell {

    final Applied applied = new Applied();
    private final Cell line = new Cell();
    private final Map<TenureId, Holding> holders = new LinkedHashMap<>();
    private OptionalInt limit = OptionalInt.empty();

    /** @param unclaimed whether the permits were assigned to the holder, which has not been heard of since */
    private record Holding(int count, long expires, boolean unclaimed) {}

    /** Drops holders whose lease has ended; and the places of a client that let a claim lapse. */
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

    /** When the next lease ends; empty if nobody holds any. */
    Optional<Long> nextExpiry() {
        return holders.values().stream().map(Holding::expires).min(Long::compare);
    }

    boolean isInUse() {
        return !holders.isEmpty() || line.isInUse();
    }

    /** Whether nothing is left but a token that was not used for days, and changes that nobody repeats any more. */
    boolean isForgotten(long now) {
        expire(now);
        return limit.isEmpty() && holders.isEmpty() && line.isForgotten(now) && applied.isForgotten(now);
    }

    /** Whether one that asks now gets them, where those who wait had their turn. */
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

    /** Makes the tenure a holder, anew or still, and ends its waiting. */
    TokenBlock grant(TenureId tenure, int permits, long leaseMicros, long tokens, long now) {
        int count = isHeldBy(tenure) ? count(tenure) : permits;
        holders.put(tenure, new Holding(count, Math.max(expires(tenure), now + leaseMicros), false));
        line.withdraw(tenure);
        return line.nextTokens(tokens, now);
    }

    /** Sets the lease of a holder anew, unless it ends later anyway. */
    void extend(TenureId tenure, long leaseMicros, long now) {
        holders.put(tenure, new Holding(count(tenure), Math.max(expires(tenure), now + leaseMicros), false));
    }

    TokenBlock nextTokens(long wanted, long now) {
        return line.nextTokens(wanted, now);
    }

    /** Whether the tenure held any. */
    boolean free(TenureId tenure) {
        return holders.remove(tenure) != null;
    }

    /** Gives what is free to those who wait, in their order, until there is not enough for the next. */
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
