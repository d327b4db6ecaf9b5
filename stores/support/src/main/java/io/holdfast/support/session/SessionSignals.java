package io.holdfast.support.session;

import io.holdfast.spi.Signal;
import io.holdfast.spi.StoreConfig;
import io.holdfast.support.record.Moment;
import io.holdfast.support.record.Notice;
import io.holdfast.support.store.RecordKeys;
import java.util.concurrent.TimeUnit;

/**
 * The signals to this client.
 *
 * <p>Every client has a clock of its own. So the end of a claim window is sent as the time from the write on. The receiver adds it
 * to a time of its own clock that was certainly before the write.
 */
final class SessionSignals {

    private final StoreConfig config;
    private final LocalClock clock;
    private final RecordKeys keys;
    private final Holds holds;
    private final SessionRecords records;

    SessionSignals(StoreConfig config, LocalClock clock, Holds holds, SessionRecords records) {
        this.config = config;
        this.clock = clock;
        this.holds = holds;
        this.records = records;
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
        if (signal instanceof Signal.Revoked revoked) {
            // the renewal that follows has to read the record
            holds.remove(revoked.tenure());
        }
        config.signals().accept(signal instanceof Signal.Assigned assigned ? assigned(assigned, before) : signal);
        // last, because somebody waits for the signal
        if (signal instanceof Signal.Wanted wanted) {
            records.refresh(keys.lock(wanted.name()));
        } else if (signal instanceof Signal.Assigned assigned) {
            records.refresh(keys.of(assigned.name(), assigned.mode()));
        }
    }

    /** Returns the signal with the end of the claim window by the clock of this client, and ends the window then. */
    private Signal assigned(Signal.Assigned assigned, long before) {
        long now = config.platform().nanoTime();
        holds.note(new Holds.Hold(
                keys.of(assigned.name(), assigned.mode()),
                assigned.tenure(),
                assigned.mode(),
                "",
                false,
                now + TimeUnit.MICROSECONDS.toNanos(assigned.expiresMicros())));
        return withExpiry(assigned, clock.micros(before) + assigned.expiresMicros());
    }
}
