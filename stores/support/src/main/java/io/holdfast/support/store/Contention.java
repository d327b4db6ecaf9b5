package io.holdfast.support.store;

import io.holdfast.spi.Platform;
import io.holdfast.spi.StoreConfig;
import io.holdfast.spi.StoreException;
import io.holdfast.spi.StoreException.Effect;
import java.util.concurrent.TimeUnit;

/**
 * What a request does that has lost the race for a record against other clients.
 *
 * <ol>
 *   <li>It has certainly written nothing, and begins again.
 *   <li>It fails before its caller gives up, which would not know whether anything was written.
 *   <li>A request to hold the name pauses before that for a random time, whose limit doubles with each race (binary exponential
 *       backoff, as in R. Metcalfe and D. Boggs, "Ethernet: distributed packet switching for local computer networks", CACM 1976).
 *       A request of a holder does not pause, so a crowd does not keep it from renewing.
 * </ol>
 */
public final class Contention {

    private static final long FIRST_NANOS = TimeUnit.MILLISECONDS.toNanos(1);
    private static final long LONGEST_NANOS = TimeUnit.MILLISECONDS.toNanos(50);
    private static final int DOUBLINGS = 6;

    private Contention() {}

    /** Returns the nanoseconds after which a request fails that always loses. */
    public static long limitNanos(StoreConfig config) {
        return config.commandTimeout().toNanos() * 3 / 4;
    }

    /**
     * Parks the current thread if the request is one to hold the name; returns at once otherwise.
     *
     * @param blocker the object for which the thread waits, for thread dumps
     * @param races the number of races that the request has lost
     */
    public static void pause(Platform platform, Object blocker, RecordUpdate<?> update, int races) {
        long nanos = update.yields() ? pauseNanos(platform, races) : 0;
        if (nanos > 0) {
            platform.park(blocker, nanos);
        }
    }

    /** Returns the nanoseconds for which a request to hold a name pauses. */
    public static long pauseNanos(Platform platform, int races) {
        long limit = Math.min(LONGEST_NANOS, FIRST_NANOS << Math.min(races, DOUBLINGS));
        return Math.floorMod(platform.randomLong(), limit);
    }

    /** Returns the failure of a request that always loses. */
    public static StoreException failure(String what, int races) {
        return new StoreException(
                Effect.NOT_APPLIED,
                what + ": other clients wrote faster " + races + " times; nothing was applied, retry");
    }
}
