package io.holdfast.spi;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * An upper bound of the clock of one server, derived from the times in its replies.
 *
 * <p>Suppose that a reply carries the server time {@code s}, and its request was sent at local {@code nanoTime} {@code n}. Then
 * at any later local time {@code m} the server's clock shows at most {@code s + (m - n)}, as long as both clocks run at the
 * same rate. That bound plus the command timeout is the {@link Acquire#notAfter} of a request. So a request that arrives in time
 * is accepted, and every late duplicate is refused. Before the first reply the bound is 0. The first request is then refused as
 * late, and its reply sets the clock.
 *
 * <p>A store whose server has no clock uses one of its own, for example {@link Platform#nanoTime} in microseconds, and replies
 * {@link Acquire.Late} by itself. The server then refuses no late duplicate. So such a store has to guarantee in another way
 * that duplicates end: when a later request of the client was answered, no copy of an earlier request is applied any more.
 *
 * <p>The method is that of F. Cristian, "Probabilistic clock synchronization", Distributed Computing 3, 1989.
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
     * Returns a read-only view of this clock, which ignores {@linkplain #observe observations}. Each call returns the same
     * view. A store of several servers returns it to the engine, because only the store knows which server sent a reply.
     */
    public ServerClock readOnly() {
        return reader == null ? this : reader;
    }

    /** Records the server time in a reply to a request that was sent at {@code sentNanos} of {@link Platform#nanoTime}. */
    public void observe(long sentNanos, long serverMicros) {
        Reading seen = last.get();
        if (reader != null && (seen == null || sentNanos - seen.nanos >= 0)) {
            Reading fresh = new Reading(sentNanos, serverMicros);
            last.updateAndGet(now -> now == null || sentNanos - now.nanos >= 0 ? fresh : now);
        }
    }

    /** Returns the server time after which a request that is sent now must not be applied; 0 before the first reply. */
    public long notAfter(long nowNanos, Duration timeout) {
        Reading seen = last.get();
        if (seen == null) {
            return 0;
        }
        return seen.serverMicros + (nowNanos - seen.nanos + timeout.toNanos()) / 1_000;
    }
}
