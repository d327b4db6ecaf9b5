package io.holdfast.support.store;

import io.holdfast.spi.Platform;
import io.holdfast.spi.StoreConfig;
import io.holdfast.spi.StoreException;
import io.holdfast.spi.StoreException.Effect;
import io.holdfast.support.record.LockRecord;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;

/**
 * What a request does that has lost the race for a record against other clients.
 *
 * <ol>
 *   <li>It has certainly written nothing, and begins again.
 *   <li>It fails before its caller gives up, which would not know whether anything was written.
 *   <li>A request to hold the name pauses before that for a random time, whose limit doubles with each race (binary exponential
 *       backoff, as in R. Metcalfe and D. Boggs, "Ethernet: distributed packet switching for local computer networks", CACM 1976).
 *       A request of a holder does not pause, so a crowd does not keep it from renewing.
 *   <li>A refused request writes no more than a position in the queue. If it has lost {@value #MOST_RACES} races, it is answered
 *       without one, as if the queue were full. Its client then polls. So a crowd makes waiters wait, and does not make them fail.
 * </ol>
 */
public final class Contention {

    private static final long FIRST_NANOS = TimeUnit.MILLISECONDS.toNanos(1);
    private static final long LONGEST_NANOS = TimeUnit.MILLISECONDS.toNanos(50);
    private static final int DOUBLINGS = 6;

    /** The number of lost races after which a refusal is not written any more. */
    private static final int MOST_RACES = 8;

    private Contention() {}

    /** Returns the nanoseconds after which a request fails that always loses. */
    public static long limitNanos(StoreConfig config) {
        return config.commandTimeout().toNanos() * 3 / 4;
    }

    /**
     * Repeats an attempt until it has a reply, on the current thread.
     *
     * @param blocker the object for which the thread waits between attempts, for thread dumps
     * @param what the request, for the failure
     * @param attempt an attempt, as a function of the number of lost races; its result is empty if it lost one more
     * @throws StoreException if the time of the request is over; nothing is written then
     */
    public static <R> R retry(
            StoreConfig config, Object blocker, RecordUpdate<R> update, String what, IntFunction<Optional<R>> attempt) {
        Platform platform = config.platform();
        long start = platform.nanoTime();
        int races = 0;
        Optional<R> reply = attempt.apply(races);
        while (reply.isEmpty()) {
            races++;
            if (platform.nanoTime() - start >= limitNanos(config)) {
                throw failure(what, races);
            }
            if (update.yields()) {
                platform.park(blocker, pauseNanos(platform, races));
            }
            reply = attempt.apply(races);
        }
        return reply.get();
    }

    /**
     * Returns the reply of a refused request that has lost too many races; empty if its decision has to be written.
     *
     * @param before the record of the decision
     * @param reply the reply of the decision
     */
    public static <R> Optional<R> unwritten(int races, RecordUpdate<R> update, LockRecord before, R reply) {
        return isCrowded(races) ? update.unwritten(before, reply) : Optional.empty();
    }

    /** Returns the nanoseconds for which a request to hold a name pauses. */
    public static long pauseNanos(Platform platform, int races) {
        long limit = Math.min(LONGEST_NANOS, FIRST_NANOS << Math.min(races, DOUBLINGS));
        return Math.floorMod(platform.randomLong(), limit);
    }

    /** Returns {@code true} if a refusal is not written any more. */
    public static boolean isCrowded(int races) {
        return races >= MOST_RACES;
    }

    /** Returns the failure of a request that always loses. */
    public static StoreException failure(String what, int races) {
        return new StoreException(
                Effect.NOT_APPLIED,
                what + ": other clients wrote faster " + races + " times; nothing was applied, retry");
    }
}
