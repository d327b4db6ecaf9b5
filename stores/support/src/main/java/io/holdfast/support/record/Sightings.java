package io.holdfast.support.record;

import io.holdfast.spi.Share.Mode;
import io.holdfast.spi.Signal;
import io.holdfast.spi.TenureId;
import java.util.ArrayList;
import java.util.List;

/**
 * The signals that a client derives from two readings of a record, at a store that cannot send any.
 *
 * <p>Every notice of the decisions between the two readings is found, unless later ones have made it pointless. Some signals are
 * found that no decision has sent, for example if the client itself has withdrawn a place. A signal is a hint, so these do no
 * harm.
 *
 * @param clientId the client that reads
 * @param name the name that it uses for the record
 * @param before the record that it read first
 * @param now the record that it read last
 * @param moment the circumstances of the last reading
 */
public record Sightings(String clientId, String name, LockRecord before, LockRecord now, Moment moment) {

    /** Returns the signals. */
    public List<Signal> signals() {
        List<Signal> found = new ArrayList<>();
        now.holders().all().stream()
                .filter(this::isNewlyAssigned)
                .map(this::assigned)
                .forEach(found::add);
        // a place that has expired since is gone, and was not woken
        before.expire(moment.now()).queue().all().stream()
                .filter(this::isMine)
                .filter(this::isWoken)
                .forEach(place -> found.add(new Signal.Freed(name)));
        before.holders().all().stream()
                .filter(holder -> isMine(holder) && isTaken(holder))
                .forEach(holder -> found.add(new Signal.Revoked(name, holder.tenure())));
        // an assignment already reports the waiters behind it
        if (holds(before) && holds(now) && isNewlyWanted()) {
            found.add(new Signal.Wanted(name));
        }
        if (listens(before) && !listens(now)) {
            found.add(new Signal.Changed(name));
        }
        return found;
    }

    /** Returns {@code true} if a later reading may find a signal for the client: it waits, or listens to a latch. */
    public static boolean isAwaited(String clientId, LockRecord record) {
        return record.queue().all().stream().anyMatch(place -> place.claimant().isOf(clientId))
                || listens(clientId, record);
    }

    private boolean isMine(Place place) {
        return place.claimant().isOf(clientId);
    }

    private boolean isMine(Holder holder) {
        return holder.claimant().isOf(clientId);
    }

    private boolean isNewlyAssigned(Holder holder) {
        return isMine(holder)
                && holder.unclaimed()
                && !before.holders().of(holder.tenure()).filter(holder::equals).isPresent();
    }

    private Signal assigned(Holder holder) {
        boolean permits = holder.mode() == Mode.PERMITS;
        return new Signal.Assigned(
                name,
                holder.tenure(),
                holder.mode(),
                holder.grant().tokens(),
                permits ? 0 : now.queue().clientsBeyondHandoffOf(clientId),
                permits ? 0 : now.queue().endOfFairRun(clientId),
                holder.expires(),
                moment.run());
    }

    /** Returns {@code true} if a place is gone, and its tenure does not hold the name. */
    private boolean isWoken(Place place) {
        TenureId tenure = place.tenure();
        return now.queue().of(tenure).isEmpty() && !now.holders().include(tenure);
    }

    private boolean isTaken(Holder holder) {
        return holder.expires() > moment.now() && !now.holders().include(holder.tenure());
    }

    private boolean holds(LockRecord record) {
        return record.holders().all().stream().anyMatch(this::isMine);
    }

    /**
     * Returns {@code true} if there is a new place of which holders are notified: the holder of a lock of a place of another
     * client, the holders of a read/write lock of any place, and the holders of permits of none.
     */
    private boolean isNewlyWanted() {
        return now.queue().all().stream()
                .filter(place -> before.queue().of(place.tenure()).isEmpty())
                .anyMatch(place -> place.mode() == Mode.LOCK ? !isMine(place) : place.mode() != Mode.PERMITS);
    }

    private boolean listens(LockRecord record) {
        return listens(clientId, record);
    }

    private static boolean listens(String clientId, LockRecord record) {
        return record.latch()
                .filter(latch -> latch.listeners().stream().anyMatch(each -> each.isOf(clientId)))
                .isPresent();
    }
}
