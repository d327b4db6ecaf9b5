package io.holdfast.spi;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * An upper bound for the time of one server, from the times in its replies.
 *
 * <p>A reply that carries the server time {@code s}, to a request sent at local {@code nanoTime} {@code n}, proves that
 * at any later {@code m} the server's clock shows at most {@code s + (m - n)}, as long as both run alike. So a request
 * with that bound plus the command timeout as its {@link Acquire#notAfter} is accepted when it is in time, and every
 * copy of it that comes later is refused. While no reply was seen, the bound is 0: the first request is refused as late,
 * and that answer sets the clock.
 */
public final class ServerClock {

    private record Reading(long nanos, long serverMicros) {}

    private final AtomicReference<@Nullable Reading> last;
    private final @Nullable ServerClock reader;

    public ServerClock() {
        this.last = new AtomicReference<>();
        this.reader = new ServerClock(last);
    }

    private ServerClock(AtomicReference<@Nullable Reading> last) {
        this.last = last;
        this.reader = null;
    }

    /**
     * Returns this clock for reading only, the same each time: what it {@linkplain #observe observes} is ignored. For a store of several servers,
     * which alone knows which of them replied.
     */
    public ServerClock readOnly() {
        return reader == null ? this : reader;
    }

    /** Learns from a reply to a request that was sent at {@code sentNanos} of {@link Platform#nanoTime}. */
    public void observe(long sentNanos, long serverMicros) {
        Reading seen = last.get();
        if (reader != null && (seen == null || sentNanos - seen.nanos >= 0)) {
            Reading fresh = new Reading(sentNanos, serverMicros);
            last.updateAndGet(now -> now == null || sentNanos - now.nanos >= 0 ? fresh : now);
        }
    }

    /** The server time after which a request sent now must not be applied; 0 if no reply was seen. */
    public long notAfter(long nowNanos, Duration timeout) {
        Reading seen = last.get();
        if (seen == null) {
            return 0;
        }
        return seen.serverMicros + (nowNanos - seen.nanos + timeout.toNanos()) / 1_000;
    }
}
