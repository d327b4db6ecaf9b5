package io.holdfast.support.session;

import io.holdfast.spi.Signal;
import io.holdfast.spi.StoreConfig;
import io.holdfast.support.record.Holder;
import io.holdfast.support.record.Moment;
import io.holdfast.support.record.Notice;
import io.holdfast.support.store.RecordKey;
import io.holdfast.support.store.RecordKeys;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * The signals to this client.
 *
 * <p>Every client has a clock of its own. So the end of a claim window is sent as the time from the write on. The receiver adds it
 * to a time of its own clock that was certainly before the write.
 */
final class SessionSignals {

    private final StoreConfig config;
    private final Sessions sessions;
    private final LocalClock clock;
    private final RecordKeys keys;
    private final Holds holds;
    private final Doubts doubts;
    private final PictureReader reader;

    SessionSignals(
            StoreConfig config, Sessions sessions, LocalClock clock, Holds holds, Doubts doubts, PictureReader reader) {
        this.config = config;
        this.sessions = sessions;
        this.clock = clock;
        this.holds = holds;
        this.doubts = doubts;
        this.reader = reader;
        keys = new RecordKeys(config.keyPrefix());
    }

    /** Returns a notice whose claim window is the time from the write on. */
    static Notice relative(Notice notice, Moment moment) {
        return notice.signal() instanceof Signal.Assigned assigned
                ? new Notice(notice.to(), withExpiry(assigned, assigned.expiresMicros() - moment.now()))
                : notice;
    }

    private static Signal.Assigned withExpiry(Signal.Assigned it, long expires) {
        return new Signal.Assigned(
                it.name(), it.tenure(), it.mode(), it.tokens(), it.foreignWaiters(), it.next(), expires, it.run());
    }

    /**
     * Receives a signal.
     *
     * @param before a {@code nanoTime} before the write that sent the signal
     */
    void receive(Signal signal, long before) {
        if (signal instanceof Signal.Assigned assigned) {
            assigned(assigned, keys.of(assigned.name(), assigned.mode()), before);
            return;
        } else if (signal instanceof Signal.Revoked revoked) {
            // the renewal that follows has to read the record
            holds.remove(revoked.tenure());
        } else if (signal instanceof Signal.Wanted wanted) {
            reader.refresh(keys.lock(wanted.name()));
        } else if (signal instanceof Signal.Gap || signal instanceof Signal.Up) {
            // the servers may have been restored from a backup
            doubts.add();
        }
        config.signals().accept(signal);
    }

    /**
     * Passes the signal on, with the end of the claim window by the clock of this client, and ends the window then. It ends earlier
     * if the session may, and at once if nothing is certain about the session, so that the client has to ask. Unless this client has
     * assigned the name itself, it then reads the record.
     */
    private void assigned(Signal.Assigned it, RecordKey key, long before) {
        long end = config.platform().nanoTime() + TimeUnit.MICROSECONDS.toNanos(it.expiresMicros());
        holds.note(new Holds.Hold(key, it.tenure(), it.mode(), "", false, 0, end));
        Optional<Holder> known = reader.pictures()
                .of(key)
                .flatMap(picture -> picture.record().holders().of(it.tenure()));
        long certain = TimeUnit.NANOSECONDS.toMicros(left(before).toNanos());
        config.signals().accept(withExpiry(it, clock.micros(before) + Math.min(certain, it.expiresMicros())));
        if (known.isEmpty()) {
            // last, because somebody waits for the signal
            reader.refresh(key);
        }
    }

    /** Returns for how long the present session is certain from a time on; zero if there is none. */
    private Duration left(long from) {
        CompletableFuture<? extends Session> present = sessions.present().toCompletableFuture();
        return present.isDone() && !present.isCompletedExceptionally()
                ? present.join().validity().left(from, ClockReading.of(config.platform()))
                : Duration.ZERO;
    }
}
