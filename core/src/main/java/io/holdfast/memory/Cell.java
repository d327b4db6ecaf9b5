package io.holdfast.memory;

import io.holdfast.spi.Share.Mode;
import io.holdfast.spi.TenureId;
import io.holdfast.spi.TokenBlock;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;

/**
 * The state of one name at the server: its holders, its queue, and the highest token issued.
 *
 * <p>Tokens are counted in units. A unit is one microsecond of the server's clock, and contains 1 024 tokens. A unit is never
 * below the clock, so tokens rise even after all data was lost. It is never more than 10 ms above the clock, so tokens rise
 * after any such loss that takes at least 10 ms. All times are microseconds of that clock. Guarded by the server's mutex.
 */
final class Cell {

    private static final int UNIT_BITS = 10;
    private static final long TOKENS_PER_UNIT = 1L << UNIT_BITS;
    private static final long MAX_LEAD = 10_000;
    private static final long PLACE_LIFE = TimeUnit.MINUTES.toMicros(1);
    private static final long TOKEN_LIFE = TimeUnit.DAYS.toMicros(7);

    private final List<Place> queue = new ArrayList<>();

    /** One holder, or several readers. */
    private final Map<TenureId, Holding> holders = new LinkedHashMap<>(2);

    private long lastUnit;
    private long lastUnitBeforeHolder;
    private long lastGrant;

    /**
     * @param unclaimed {@code true} if the name was assigned to the holder, and no request of the holder has arrived since
     */
    private record Holding(Mode mode, long expires, boolean unclaimed) {}

    /**
     * Removes holders whose lease has ended, and positions that were not refreshed. If a client let a claim lapse, all its
     * positions are removed.
     */
    void expire(long now) {
        holders.entrySet().removeIf(entry -> {
            boolean over = now >= entry.getValue().expires();
            if (over && entry.getValue().unclaimed()) {
                dropPlaces(entry.getKey().clientId());
            }
            return over;
        });
        queue.removeIf(place -> now - place.refreshed() > PLACE_LIFE);
    }

    List<TenureId> holders() {
        return List.copyOf(holders.keySet());
    }

    boolean isFree() {
        return holders.isEmpty();
    }

    boolean isHeldBy(TenureId tenure) {
        return holders.containsKey(tenure);
    }

    /** Returns the mode in which a holder holds the name. */
    Mode mode(TenureId holder) {
        return Objects.requireNonNull(holders.get(holder)).mode();
    }

    boolean isHeldBy(TenureId tenure, Mode mode) {
        Holding holding = holders.get(tenure);
        return holding != null && holding.mode() == mode;
    }

    /** Returns {@code true} if the name is held as another kind of lock than the requested one. */
    boolean isOfOtherKind(Mode wanted) {
        return holders.values().stream().anyMatch(holding -> (holding.mode() == Mode.LOCK) != (wanted == Mode.LOCK));
    }

    /** Returns {@code true} if no holder conflicts with the requested mode. */
    boolean admits(Mode wanted, Optional<TenureId> beside) {
        return holders.entrySet().stream()
                .allMatch(entry -> beside.filter(entry.getKey()::equals).isPresent()
                        || wanted.goesWith(entry.getValue().mode()));
    }

    /** Returns {@code true} if a waiting writer arrived earlier. */
    boolean isWriterBefore(long arrival) {
        return queue.stream().anyMatch(place -> place.mode() == Mode.WRITE && place.arrival() < arrival);
    }

    /** Returns the time when the last lease ends. */
    long expires() {
        return holders.values().stream().mapToLong(Holding::expires).max().orElse(0);
    }

    long expires(TenureId tenure) {
        Holding holding = holders.get(tenure);
        return holding == null ? 0 : holding.expires();
    }

    /** Makes the tenure a holder for a claim window, until a request of it arrives. */
    TokenBlock assign(Place place, long claimMicros, long now) {
        TokenBlock block = grant(place.tenure(), place.mode(), claimMicros, place.tokens(), now);
        holders.put(place.tenure(), new Holding(place.mode(), expires(place.tenure()), true));
        return block;
    }

    /** Makes the tenure a holder, or keeps it as one, and ends its wait. */
    TokenBlock grant(TenureId tenure, Mode mode, long leaseMicros, long tokens, long now) {
        if (!isHeldBy(tenure)) {
            lastUnitBeforeHolder = lastUnit;
        }
        extend(tenure, mode, leaseMicros, now);
        withdraw(tenure);
        return nextTokens(tokens, now);
    }

    /** Renews the lease, unless the present one ends later, so that a late duplicate shortens nothing. */
    void extend(TenureId tenure, Mode mode, long leaseMicros, long now) {
        holders.put(tenure, new Holding(mode, Math.max(expires(tenure), now + leaseMicros), false));
    }

    TokenBlock nextTokens(long wanted, long now) {
        long first = Math.max(lastUnit + 1, now);
        long wantedUnits = (Math.max(wanted, 1) - 1) / TOKENS_PER_UNIT + 1;
        long allowedUnits = now + MAX_LEAD - first;
        lastUnit = first + Math.max(1, Math.min(wantedUnits, allowedUnits)) - 1;
        lastGrant = now;
        return new TokenBlock(first << UNIT_BITS, lastToken(lastUnit));
    }

    /** Makes all further tokens exceed the given one. */
    void raise(long floor) {
        lastUnit = Math.max(lastUnit, floor >> UNIT_BITS);
    }

    void free(TenureId tenure) {
        holders.remove(tenure);
    }

    /** Takes back the units above the last token used, if they were issued to this holder. */
    void returnTokens(long lastToken) {
        if (lastToken > 0) {
            lastUnit = Math.min(lastUnit, Math.max(lastToken >> UNIT_BITS, lastUnitBeforeHolder));
        }
    }

    OptionalLong lastToken() {
        return lastUnit == 0 ? OptionalLong.empty() : OptionalLong.of(lastToken(lastUnit));
    }

    private static long lastToken(long unit) {
        return (unit << UNIT_BITS) + TOKENS_PER_UNIT - 1;
    }

    Optional<Place> place(TenureId tenure) {
        return queue.stream().filter(place -> place.tenure().equals(tenure)).findFirst();
    }

    void enqueue(Place place) {
        withdraw(place.tenure());
        queue.add(place);
        queue.sort(Comparator.comparingLong(Place::arrival));
    }

    void withdraw(TenureId tenure) {
        queue.removeIf(place -> place.tenure().equals(tenure));
    }

    void dropPlaces(String clientId) {
        queue.removeIf(place -> place.isOf(clientId));
    }

    /**
     * Removes the first position from the queue, unless a holder conflicts with it. Readers pass a waiting upgradeable reader
     * if another upgradeable reader holds the name.
     */
    Optional<Place> takeFirst() {
        Optional<Place> first = queue.stream()
                .dropWhile(
                        place -> place.mode() == Mode.UPGRADE && !admits(place) && admits(Mode.READ, Optional.empty()))
                .findFirst()
                .filter(this::admits);
        first.ifPresent(queue::remove);
        return first;
    }

    private boolean admits(Place place) {
        return admits(place.mode(), Optional.empty());
    }

    /**
     * Returns the first position, if it belongs to the only remaining reader, which waits to write.
     *
     * <p>If nobody holds the name, it removes and returns all positions of upgrades. Their readers have lost what they read
     * under, and learn that by asking.
     */
    List<Place> whoMayUpgrade() {
        if (isFree()) {
            List<Place> over = queue.stream().filter(Place::isUpgrade).toList();
            queue.removeAll(over);
            return over;
        }
        return queue.stream()
                .limit(holders.size() == 1 ? 1 : 0)
                .filter(place -> place.isUpgrade() && place.isOf(upgrader()))
                .toList();
    }

    /** Returns the client of the reader that may write later; empty if there is none. */
    private String upgrader() {
        return holders.entrySet().stream()
                .filter(entry -> entry.getValue().mode() == Mode.UPGRADE)
                .map(entry -> entry.getKey().clientId())
                .findFirst()
                .orElse("");
    }

    /** Returns {@code true} if a fair position is ahead of that arrival. */
    boolean isFairBefore(long arrival) {
        return queue.stream().anyMatch(place -> place.fair() && place.arrival() < arrival);
    }

    /**
     * Returns the arrival of the last position in the unbroken run of fair positions of the client at the head of the queue; 0
     * for none.
     */
    long fairFirstOf(String clientId) {
        return queue.stream()
                .takeWhile(place -> place.fair() && place.isOf(clientId))
                .mapToLong(Place::arrival)
                .max()
                .orElse(0);
    }

    /** Returns the positions in the order of arrival. */
    List<Place> waiters() {
        return List.copyOf(queue);
    }

    /**
     * Returns the number of other clients that wait. The tenure's own client counts if it has positions that no local handoff
     * serves.
     */
    int foreignWaiters(TenureId tenure) {
        return (int) queue.stream()
                .filter(place -> place.fair() || place.mode() != Mode.LOCK || !place.isOf(tenure.clientId()))
                .map(place -> place.tenure().clientId())
                .distinct()
                .count();
    }

    boolean isInUse() {
        return !isFree() || !queue.isEmpty();
    }

    /** Returns {@code true} if nothing is left but a token that was not used for days. */
    boolean isForgotten(long now) {
        expire(now);
        return !isInUse() && now - lastGrant > TOKEN_LIFE;
    }
}
