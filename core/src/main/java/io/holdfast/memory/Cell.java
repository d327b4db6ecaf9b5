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
 * What the server keeps for one name: who holds it, the queue, and the highest token given.
 *
 * <p>Tokens are counted in units of one microsecond of the server's clock, 1 024 tokens each. A unit is never below the
 * clock, so that tokens rise even after all data was lost; and never 10 ms above it, so that such a loss may be short.
 * All times are microseconds of that clock. Guarded by the server's mutex.
 */
final class Cell {

    private static final int UNIT_BITS = 10;
    private static final long TOKENS_PER_UNIT = 1L << UNIT_BITS;
    private static final long MAX_LEAD = 10_000;
    private static final long PLACE_LIFE = TimeUnit.MINUTES.toMicros(1);
    private static final long TOKEN_LIFE = TimeUnit.DAYS.toMicros(7);

    private final List<Place> queue = new ArrayList<>();

    /** One; or several, if they read. */
    private final Map<TenureId, Holding> holders = new LinkedHashMap<>(2);

    private long lastUnit;
    private long lastUnitBeforeHolder;
    private long lastGrant;

    /** @param unclaimed whether the name was assigned to the holder, which has not been heard of since */
    private record Holding(Mode mode, long expires, boolean unclaimed) {}

    /** Drops holders whose lease has ended, and places nobody asked for again; or whose client let a claim lapse. */
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

    /** How a holder holds it. */
    Mode mode(TenureId holder) {
        return Objects.requireNonNull(holders.get(holder)).mode();
    }

    boolean isHeldBy(TenureId tenure, Mode mode) {
        Holding holding = holders.get(tenure);
        return holding != null && holding.mode() == mode;
    }

    /** Whether it is held in a way that goes with no other name of the kind that is asked for. */
    boolean isOfOtherKind(Mode wanted) {
        return holders.values().stream().anyMatch(holding -> (holding.mode() == Mode.LOCK) != (wanted == Mode.LOCK));
    }

    /** Whether nobody who holds it stands in the way. */
    boolean admits(Mode wanted, Optional<TenureId> beside) {
        return holders.entrySet().stream()
                .allMatch(entry -> beside.filter(entry.getKey()::equals).isPresent()
                        || wanted.goesWith(entry.getValue().mode()));
    }

    /** Whether one who wants to write came before. */
    boolean isWriterBefore(long arrival) {
        return queue.stream().anyMatch(place -> place.mode() == Mode.WRITE && place.arrival() < arrival);
    }

    /** When the last lease ends. */
    long expires() {
        return holders.values().stream().mapToLong(Holding::expires).max().orElse(0);
    }

    long expires(TenureId tenure) {
        Holding holding = holders.get(tenure);
        return holding == null ? 0 : holding.expires();
    }

    /** Makes the tenure a holder, until it is heard of for a claim window only. */
    TokenBlock assign(Place place, long claimMicros, long now) {
        TokenBlock block = grant(place.tenure(), place.mode(), claimMicros, place.tokens(), now);
        holders.put(place.tenure(), new Holding(place.mode(), expires(place.tenure()), true));
        return block;
    }

    /** Makes the tenure a holder, anew or still, and ends its waiting. */
    TokenBlock grant(TenureId tenure, Mode mode, long leaseMicros, long tokens, long now) {
        if (!isHeldBy(tenure)) {
            lastUnitBeforeHolder = lastUnit;
        }
        extend(tenure, mode, leaseMicros, now);
        withdraw(tenure);
        return nextTokens(tokens, now);
    }

    /** Sets the lease anew, unless it ends later anyway: a late copy shortens nothing. */
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

    /** Lets all further tokens be above this one. */
    void raise(long floor) {
        lastUnit = Math.max(lastUnit, floor >> UNIT_BITS);
    }

    void free(TenureId tenure) {
        holders.remove(tenure);
    }

    /** Takes back the units above the last token used, as far as they were the holder's. */
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
     * Takes the first place off the queue, unless who holds the name stands in its way. One that would read, and perhaps
     * write later, is passed over by those who would only read.
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
     * The first place, if it is that of the only one who still reads, and would write. Those who would, and do not read any
     * more, go: they are no more than others, and are to find out.
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

    /** The client of the one who may write later; empty if there is none. */
    private String upgrader() {
        return holders.entrySet().stream()
                .filter(entry -> entry.getValue().mode() == Mode.UPGRADE)
                .map(entry -> entry.getKey().clientId())
                .findFirst()
                .orElse("");
    }

    /** Whether a fair place is before that arrival. */
    boolean isFairBefore(long arrival) {
        return queue.stream().anyMatch(place -> place.fair() && place.arrival() < arrival);
    }

    /** The arrival of the last of the first places that are fair ones of the client, one behind the other; 0 for none. */
    long fairFirstOf(String clientId) {
        return queue.stream()
                .takeWhile(place -> place.fair() && place.isOf(clientId))
                .mapToLong(Place::arrival)
                .max()
                .orElse(0);
    }

    /** First come first. */
    List<Place> waiters() {
        return List.copyOf(queue);
    }

    /** How many other clients wait; and the own one, if it has places that are not served by handing on. */
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

    /** Whether nothing is left but a token that was not used for days. */
    boolean isForgotten(long now) {
        expire(now);
        return !isInUse() && now - lastGrant > TOKEN_LIFE;
    }
}
