package io.holdfast.support.record;

import io.holdfast.spi.Share.Mode;
import io.holdfast.spi.TenureId;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * The wait queue of a name: its positions in the order in which they are assigned.
 *
 * @param all the entries, by their {@linkplain Place#arrival arrivals}
 * @param lastArrival the last arrival number that was issued, to an entry or to a release that changed nothing else; 0 for none
 */
public record Places(List<Place> all, long lastArrival) {

    /** The queue of a name that nobody has waited for. */
    public static final Places EMPTY = new Places(List.of(), 0);

    /** Copies the list. */
    public Places {
        all = List.copyOf(all);
    }

    /** Returns {@code true} if nobody waits. */
    public boolean isEmpty() {
        return all.isEmpty();
    }

    /** Returns the number of places. */
    public int size() {
        return all.size();
    }

    /** Returns the place of a tenure; empty if it has none. */
    public Optional<Place> of(TenureId tenure) {
        return all.stream().filter(place -> place.tenure().equals(tenure)).findFirst();
    }

    boolean isAnyBefore(long position) {
        return before(position).findAny().isPresent();
    }

    boolean isFairBefore(long position) {
        return before(position).anyMatch(Place::fair);
    }

    boolean isWriterBefore(long position) {
        return before(position).anyMatch(place -> place.mode() == Mode.WRITE);
    }

    private Stream<Place> before(long position) {
        return all.stream().takeWhile(place -> place.arrival() < position);
    }

    /** Returns the position of the last entry in the unbroken run of fair entries of the client at the head; 0 for none. */
    long endOfFairRun(String clientId) {
        return all.stream()
                .takeWhile(place -> place.fair() && place.claimant().isOf(clientId))
                .reduce((earlier, later) -> later)
                .map(Place::arrival)
                .orElse(0L);
    }

    /**
     * Returns the number of clients that no local handoff of the given client can serve. These are all other clients, and the
     * client itself if it has a fair place or waits to read or to write.
     */
    public int clientsBeyondHandoffOf(String clientId) {
        return (int) all.stream()
                .filter(place -> place.fair()
                        || place.mode() != Mode.LOCK
                        || !place.claimant().isOf(clientId))
                .map(place -> place.tenure().clientId())
                .distinct()
                .count();
    }

    /** Returns {@code true} if the limits allow one more place. */
    boolean hasRoomFor(String clientId, boolean fair, Limits limits) {
        return size() < limits.places()
                && (fair ? fairPlacesOf(clientId) < limits.fairPlaces() : bargingPlaces() < limits.bargingPlaces());
    }

    private long fairPlacesOf(String clientId) {
        return all.stream()
                .filter(place -> place.fair() && place.claimant().isOf(clientId))
                .count();
    }

    private long bargingPlaces() {
        return all.stream().filter(place -> !place.fair()).count();
    }

    /** Returns the arrival number of a new waiter, which is later than all others. */
    long nextArrival(long now) {
        return Math.max(lastArrival + 1, now);
    }

    /**
     * Returns the arrival number of a waiter that has waited at its client since the given time. It is the first number from
     * then on that no place has, and that is behind all places of the client. Otherwise two requests of different speed could
     * change the order of two waiters of the client.
     */
    long arrivalOf(String clientId, long since) {
        long arrival = all.stream()
                .filter(place -> place.claimant().isOf(clientId))
                .mapToLong(place -> place.arrival() + 1)
                .reduce(since, Math::max);
        for (Place place : all) {
            arrival += place.arrival() == arrival ? 1 : 0;
        }
        return arrival;
    }

    Places afterArrival(long arrival) {
        return new Places(all, Math.max(lastArrival, arrival));
    }

    /** Adds the first place of a tenure, in the order of positions. */
    Places with(Place place) {
        List<Place> changed = new ArrayList<>(all);
        int index = changed.size();
        while (index > 0 && changed.get(index - 1).arrival() > place.arrival()) {
            index--;
        }
        changed.add(index, place);
        return new Places(changed, lastArrival);
    }

    /** Replaces a place by one with the same position. */
    Places with(Place old, Place place) {
        List<Place> changed = new ArrayList<>(all);
        changed.set(all.indexOf(old), place);
        return new Places(changed, lastArrival);
    }

    Places without(Predicate<Place> removed) {
        return all.stream().anyMatch(removed)
                ? new Places(all.stream().filter(removed.negate()).toList(), lastArrival)
                : this;
    }

    Places without(TenureId tenure) {
        return without(place -> place.tenure().equals(tenure));
    }

    Places withoutClient(String clientId) {
        return without(place -> place.claimant().isOf(clientId));
    }
}
