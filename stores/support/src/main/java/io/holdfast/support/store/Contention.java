package io.holdfast.support.store;

import io.holdfast.spi.Platform;
import io.holdfast.spi.StoreConfig;
import io.holdfast.spi.StoreException;
import io.holdfast.spi.StoreException.Effect;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * What a request does that has lost the race for a record against other clients.
 *
 * <ol>
 *   <li>It has certainly written nothing, and begins again.
 *   <li>It fails before its caller gives up, which would not know whether anything was written.
 *   <li>A request to hold the name pauses before that for a random time, whose limit grows fourfold with each race (exponential
 *       backoff, as in R. Metcalfe and D. Boggs, "Ethernet: distributed packet switching for local computer networks", CACM 1976).
 *       The withdrawal of a position pauses as well.
 *   <li>A request of a holder pauses for a shorter time, and after every second race only. If it had to wait for its turn and lost, the
 *       record has just been written, and an attempt at once is ahead of those that pause. So a crowd does not keep it from renewing, and
 *       many holders of one name do not keep each other from it. Where each write takes long, a store has to do more for it, and is
 *       told that the request is crowded. Where a client renews one lock after the other, and others are behind this one, it is told so
 *       earlier, and after the first race if the request is urgent.
 *   <li>A refused request writes no more than a position in the queue. If it has lost {@value #MOST_RACES} races, or has taken a third of
 *       its time, it is answered without one, as if the queue were full. Its client then polls. So a crowd makes waiters wait, and
 *       does not make them fail.
 * </ol>
 */
public final class Contention {

    private static final long FIRST_NANOS = TimeUnit.MILLISECONDS.toNanos(4);
    private static final long LONGEST_NANOS = TimeUnit.MILLISECONDS.toNanos(200);
    private static final long LONGEST_OF_HOLDERS_NANOS = TimeUnit.MILLISECONDS.toNanos(64);

    /** The number of lost races after which a refusal is not written any more. */
    private static final int MOST_RACES = 8;

    private Contention() {}

    /** Returns the nanoseconds after which a request fails that always loses. */
    public static long limitNanos(StoreConfig config) {
        return config.commandTimeout().toNanos() * 3 / 4;
    }

    /** An attempt of a request. */
    @FunctionalInterface
    public interface Attempt<R> {

        /**
         * Makes the attempt.
         *
         * @param crowded {@code true} if the request has lost too many races, so that a refusal is not written any more; see {@link
         *     RecordUpdate#unwritten}
         * @return the reply; empty if the request has lost a race
         */
        Optional<R> make(boolean crowded);
    }

    /**
     * Repeats an attempt until it has a reply, on the current thread.
     *
     * @param blocker the object for which the thread waits between attempts, for thread dumps
     * @param what the request, for the failure
     * @throws StoreException if the time of the request is over; nothing is written then
     */
    public static <R> R retry(
            StoreConfig config, Object blocker, RecordUpdate<R> update, String what, Attempt<R> attempt) {
        return retry(config, blocker, update, what, 0, attempt);
    }

    /**
     * Repeats an attempt like {@link #retry(StoreConfig, Object, RecordUpdate, String, Attempt)}.
     *
     * @param behind the number of requests that wait for the end of this one
     */
    public static <R> R retry(
            StoreConfig config, Object blocker, RecordUpdate<R> update, String what, int behind, Attempt<R> attempt) {
        Platform platform = config.platform();
        long start = platform.nanoTime();
        long longest = 0;
        int races = 0;
        boolean crowded = false;
        Optional<R> reply = attempt.make(false);
        while (reply.isEmpty()) {
            races++;
            long pause = pauseNanos(platform, races, update.yields());
            long took = platform.nanoTime() - start;
            boolean wasCrowded = crowded;
            crowded = update.isUrgent() || isCrowded(config, races * (1 + behind), took + pause);
            // the first crowded attempt of such a request writes no refusal, so it waits for no turn
            boolean waits = wasCrowded || !crowded || !update.isAnsweredUnwritten();
            if (took + (waits ? longest : 0) >= limitNanos(config)) {
                // an attempt that waits for its turn as long as an earlier one would not be over in time
                throw failure(what, races);
            }
            platform.park(blocker, waits ? pause : 0);
            long began = platform.nanoTime();
            reply = attempt.make(crowded);
            // the first one is not counted, because it may have opened a connection
            longest = Math.max(longest, platform.nanoTime() - began);
        }
        return reply.get();
    }

    /**
     * Returns the nanoseconds for which a request pauses.
     *
     * @param yields {@code false} for a request of a holder; see {@link RecordUpdate#yields}
     */
    public static long pauseNanos(Platform platform, int races, boolean yields) {
        int growth = Math.min(races, MOST_RACES);
        long limit = yields
                ? Math.min(LONGEST_NANOS, FIRST_NANOS << (2 * growth))
                : Math.min(LONGEST_OF_HOLDERS_NANOS, FIRST_NANOS << growth);
        boolean atOnce = !yields && races % 2 == 1;
        return atOnce ? 0 : Math.floorMod(platform.randomLong(), limit);
    }

    /** Returns {@code true} if the refusal of a request is not written any more that has taken the given time. */
    public static boolean isCrowded(StoreConfig config, int races, long nanos) {
        return races >= MOST_RACES || nanos >= limitNanos(config) / 3;
    }

    /** Returns the failure of a request that always loses. */
    public static StoreException failure(String what, int races) {
        return new StoreException(
                races == 0 ? Effect.NOT_APPLIED : Effect.CONTENDED,
                what + ": "
                        + (races == 0
                                ? "an earlier request of this client for it has no answer yet"
                                : "other clients wrote faster " + races + " times")
                        + "; nothing was applied, retry");
    }
}
