package io.holdfast.support;

import io.holdfast.LockReport;
import io.holdfast.spi.StoreConfig;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Who a client is, as a text in the store for others to read: a line each for name, host and process. It is written with
 * the first request for a lock, again while there are more, and may lapse when there are none.
 */
public final class ClientRecord {

    private static final long LIFE_MILLIS = 30_000;
    private static final long REFRESH_NANOS = 10_000_000_000L;

    private final StoreConfig config;
    private final AtomicLong due;
    private volatile boolean written;

    /** The record of a client that has not written it. */
    public ClientRecord(StoreConfig config) {
        this.config = config;
        due = new AtomicLong(config.platform().nanoTime());
    }

    /** Whether it is to be written now. True for one caller only, who writes it. */
    public boolean takeTurn() {
        long now = config.platform().nanoTime();
        long last = due.get();
        boolean mine = now - last >= 0 && due.compareAndSet(last, now + REFRESH_NANOS);
        if (mine) {
            written = true;
        }
        return mine;
    }

    /** Whether it was ever written. */
    public boolean isWritten() {
        return written;
    }

    /** How long it has to last, for a request with that lease. */
    public static Duration life(Duration lease) {
        return Duration.ofMillis(Math.max(LIFE_MILLIS, lease.toMillis()));
    }

    /** What is written. */
    public String text() {
        LockReport.Client client = config.client();
        return client.name().orElse("") + "\n" + client.host().orElse("") + "\n"
                + client.pid().orElse(0);
    }

    /** The client with that id, by what it has written; further lines are ignored. */
    public static LockReport.Client read(String id, String text) {
        String[] lines = text.split("\n", 4);
        long pid = Long.parseLong(lines[2]);
        return new LockReport.Client(
                id, known(lines[0]), known(lines[1]), pid == 0 ? OptionalLong.empty() : OptionalLong.of(pid));
    }

    private static Optional<String> known(String text) {
        return Optional.of(text).filter(some -> !some.isEmpty());
    }
}
