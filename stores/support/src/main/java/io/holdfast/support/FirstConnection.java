package io.holdfast.support;

import io.holdfast.spi.Platform;
import io.holdfast.spi.StoreException;
import io.holdfast.spi.StoreException.Effect;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * The attempts to get a first connection, one after the other on the calling thread. One that fails early is repeated, because the
 * store may be starting, or busy.
 */
public final class FirstConnection {

    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    private final Platform platform;
    private final Duration limit;
    private final long end;

    /**
     * Creates the attempts. Their time begins.
     *
     * @param limit the time after which no attempt begins. One that would end later, if it took as long as the one before, does not
     *     begin either
     */
    public FirstConnection(Platform platform, Duration limit) {
        this.platform = platform;
        this.limit = limit;
        end = platform.nanoTime() + limit.toNanos();
    }

    /**
     * Returns the result of the first attempt that succeeds.
     *
     * @throws StoreException if the store refuses, if the time is over, or if the thread is interrupted
     */
    public <T> T get(Supplier<T> attempt) {
        while (true) {
            long begun = platform.nanoTime();
            try {
                return attempt.get();
            } catch (StoreException e) {
                if (e.effect() == Effect.REFUSED) {
                    throw e;
                } else if (leftNanos() - (platform.nanoTime() - begun) <= 0) {
                    throw late(e);
                } else if (!pause(PAUSE_NANOS)) {
                    throw e;
                }
            }
        }
    }

    /** Returns the time that is left, in nanoseconds; 0 or less if it is over. */
    public long leftNanos() {
        return end - platform.nanoTime();
    }

    /** Pauses. Returns {@code false} if the thread is interrupted. */
    public boolean pause(long nanos) {
        platform.park(this, nanos);
        return !Thread.currentThread().isInterrupted();
    }

    private StoreException late(StoreException last) {
        return new StoreException(
                last.effect(),
                last.getMessage() + "; no attempt has succeeded within " + limit.toMillis() + " ms",
                last.getCause());
    }
}
