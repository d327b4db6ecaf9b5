package io.holdfast.support.session;

import io.holdfast.spi.Platform;
import io.holdfast.spi.Share.Mode;
import io.holdfast.spi.TenureId;
import io.holdfast.support.store.RecordKey;
import java.util.List;
import java.util.Map;
import java.util.Optional;
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
     * @param end the {@code nanoTime} at which its lease ends
     */
    record Hold(RecordKey key, TenureId tenure, Mode mode, String session, boolean kept, long end) {

        private Hold until(long time) {
            return time - end > 0 ? new Hold(key, tenure, mode, session, kept, time) : this;
        }
    }

    private final Platform platform;
    private final Platform.Timer timer;
    private final Consumer<Hold> onEnd;
    private final Map<TenureId, Hold> holds = new ConcurrentHashMap<>();

    /** @param onEnd ends a hold at the servers */
    Holds(Platform platform, Platform.Timer timer, Consumer<Hold> onEnd) {
        this.platform = platform;
        this.timer = timer;
        this.onEnd = onEnd;
    }

    /** Notes a hold. Its lease does not end earlier than it did. */
    void note(Hold hold) {
        Hold before = holds.put(hold.tenure(), hold);
        if (before == null) {
            endLater(hold);
        } else {
            renew(hold.tenure(), before.end());
        }
    }

    private void endLater(Hold hold) {
        timer.schedule(hold.end() - platform.nanoTime(), () -> of(hold.tenure()).ifPresent(this::endIfOver));
    }

    private void endIfOver(Hold hold) {
        if (platform.nanoTime() - hold.end() < 0) {
            endLater(hold);
        } else if (holds.remove(hold.tenure(), hold)) {
            onEnd.accept(hold);
        } else {
            // it was renewed at this moment
            of(hold.tenure()).ifPresent(this::endLater);
        }
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
    }

    List<Hold> all() {
        return List.copyOf(holds.values());
    }
}
