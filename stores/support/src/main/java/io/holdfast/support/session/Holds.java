package io.holdfast.support.session;

import io.holdfast.spi.Platform;
import io.holdfast.spi.Share.Mode;
import io.holdfast.spi.TenureId;
import io.holdfast.support.store.RecordKey;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

/**
 * The holds of this client, as far as it knows, and the ends of their leases.
 *
 * <p>The servers do not end a lease that lasts as long as its session, and other clients end a shorter one only if they have
 * watched it. So this client ends each of its holds itself when its lease ends without a renewal.
 */
final class Holds {

    /**
     * A hold.
     *
     * @param session the session in which it was granted
     * @param kept {@code true} if it lasts as long as its session
     * @param doubts the number of {@link Doubts} before the request that proved it last was sent
     * @param end the {@code nanoTime} at which its lease ends
     */
    record Hold(RecordKey key, TenureId tenure, Mode mode, String session, boolean kept, long doubts, long end) {

        private Hold until(long time) {
            return time - end > 0 ? new Hold(key, tenure, mode, session, kept, doubts, time) : this;
        }
    }

    private final Platform platform;
    private final Platform.Timer timer;
    private final Consumer<Hold> onEnd;
    private final Map<TenureId, Hold> holds = new ConcurrentHashMap<>();
    private final Map<TenureId, Platform.Task> ends = new ConcurrentHashMap<>();

    /** The tenures whose leases have ended, and are being ended at the servers. */
    private final Set<TenureId> ending = ConcurrentHashMap.newKeySet();

    /** The numbers of requests for a name that are under way, by their tenures. */
    private final Map<TenureId, Integer> asking = new ConcurrentHashMap<>();

    /**
     * Creates the holds of a client.
     *
     * @param onEnd ends a hold at the servers, as long as it {@link #isEnding}
     */
    Holds(Platform platform, Platform.Timer timer, Consumer<Hold> onEnd) {
        this.platform = platform;
        this.timer = timer;
        this.onEnd = onEnd;
    }

    /** Notes a hold. Its lease does not end earlier than it did. */
    void note(Hold hold) {
        ending.remove(hold.tenure());
        Hold before = holds.put(hold.tenure(), hold);
        if (before == null) {
            endLater(hold);
        } else {
            renew(hold.tenure(), before.end());
        }
    }

    private void endLater(Hold hold) {
        ends.put(
                hold.tenure(),
                timer.schedule(
                        hold.end() - platform.nanoTime(),
                        () -> of(hold.tenure()).ifPresent(this::endIfOver)));
        if (!holds.containsKey(hold.tenure())) {
            // it was released at this moment
            cancel(hold.tenure());
        }
    }

    private void cancel(TenureId tenure) {
        Platform.Task end = ends.remove(tenure);
        if (end != null) {
            end.cancel();
        }
    }

    private void endIfOver(Hold hold) {
        if (platform.nanoTime() - hold.end() < 0) {
            endLater(hold);
            return;
        }
        ending.add(hold.tenure());
        if (holds.remove(hold.tenure(), hold)) {
            ends.remove(hold.tenure());
            onEnd.accept(hold);
        } else {
            // it was renewed at this moment
            ending.remove(hold.tenure());
            of(hold.tenure()).ifPresent(this::endLater);
        }
    }

    /** Notes that the tenure asks for its name. Its lease is not ended until {@link #asked}. */
    void asks(TenureId tenure) {
        asking.merge(tenure, 1, Integer::sum);
    }

    /**
     * Notes that a request of the tenure has ended.
     *
     * @return {@code true} if its lease had ended before, and was to be ended at the servers
     */
    boolean asked(TenureId tenure) {
        asking.computeIfPresent(tenure, (id, requests) -> requests == 1 ? null : requests - 1);
        return ending.remove(tenure);
    }

    /** Returns {@code true} if the lease of the tenure has ended, and the tenure does not ask for the name again. */
    boolean isEnding(TenureId tenure) {
        return ending.contains(tenure) && !asking.containsKey(tenure);
    }

    /** Notes that the servers have ended the tenure. */
    void ended(TenureId tenure) {
        ending.remove(tenure);
    }

    /** Moves the end of the lease of a hold. */
    void renew(TenureId tenure, long end) {
        holds.computeIfPresent(tenure, (id, hold) -> hold.until(end));
    }

    Optional<Hold> of(TenureId tenure) {
        return Optional.ofNullable(holds.get(tenure));
    }

    void remove(TenureId tenure) {
        holds.remove(tenure);
        cancel(tenure);
    }

    List<Hold> all() {
        return List.copyOf(holds.values());
    }
}
