package io.holdfast.recipes;

import io.holdfast.HoldfastException;
import io.holdfast.StoreRefusedException;
import io.holdfast.internal.access.ClientAccess;
import io.holdfast.spi.Platform;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * The order in which segments are requested, and the time to wait for each. It sends no request itself.
 *
 * <p>A round begins at a random segment, and requests each segment once, without waiting. After a round without success, the
 * search waits for the first segment of that round. The time of this wait doubles each time (exponential backoff). It is
 * jittered, so that many waiters spread over the segments and do not retry at the same moment. The search waits in the queue of
 * that segment instead of polling. So owners inside one process can hand a segment over without the store.
 *
 * <p>The first round is complete even if the time is up. After that, the search ends when the time is up.
 */
final class SegmentSearch {

    /**
     * One request for a segment.
     *
     * @param maxWait the maximum time to wait for the segment; zero means not to wait
     */
    record Attempt(int segment, Duration maxWait) {}

    private static final Duration FIRST_SLICE = Duration.ofMillis(25);
    private static final Duration LONGEST_SLICE = Duration.ofSeconds(1);

    private final ClientAccess access;
    private final Platform platform;
    private final List<Integer> segments;
    private final List<Integer> firsts;
    private final Timeout timeout;
    private int start;
    private int requested;
    private long requestedAt;
    private boolean waiting;
    private Duration slice = FIRST_SLICE;
    private boolean hasFailed;
    private long lastFailure;
    private long outageSince;

    /**
     * Creates a search.
     *
     * @param segments the segments to search, at least one
     * @param firsts the segments at which a round may begin; empty for any
     * @param wait the nanoseconds to wait; zero or less means to ask for each segment once
     */
    SegmentSearch(ClientAccess access, List<Integer> segments, List<Integer> firsts, long wait) {
        this.access = access;
        this.platform = access.platform();
        this.segments = segments;
        this.firsts = firsts.isEmpty() ? segments : firsts;
        this.timeout = Timeout.from(platform, wait);
        this.start = randomStart();
    }

    /** Returns the next request; empty when the time is up. */
    Optional<Attempt> next() {
        requestedAt = platform.nanoTime();
        if (requested == segments.size()) {
            return waitSlice();
        }
        if (waiting && timeout.isOver()) {
            return Optional.empty();
        }
        int segment = segments.get((start + requested) % segments.size());
        requested++;
        return Optional.of(new Attempt(segment, Duration.ZERO));
    }

    private Optional<Attempt> waitSlice() {
        Duration left = timeout.left();
        if (left.isZero() || left.isNegative()) {
            return Optional.empty();
        }
        Duration time = segments.size() == 1 || left.compareTo(slice) < 0 ? left : jittered(slice);
        Attempt attempt = new Attempt(segments.get(start), time);
        Duration twice = slice.multipliedBy(2);
        slice = twice.compareTo(LONGEST_SLICE) < 0 ? twice : LONGEST_SLICE;
        waiting = true;
        requested = 0;
        start = randomStart();
        return Optional.of(attempt);
    }

    /** Returns {@code true} if the search continues after this failure. A search that has begun to wait tolerates an outage. */
    boolean continuesAfter(HoldfastException failure) {
        long now = platform.nanoTime();
        long max = access.maxOutage().toNanos();
        // the result "held" does not prove that the store answered: the client may know it from another waiter. So two
        // failures belong to different outages only if the time between them is long enough
        if (!hasFailed || now - lastFailure >= max) {
            outageSince = requestedAt;
        }
        hasFailed = true;
        lastFailure = now;
        return waiting && !(failure instanceof StoreRefusedException) && now - outageSince < max && !timeout.isOver();
    }

    long waitedMillis() {
        return timeout.waitedMillis();
    }

    /** Returns the index of a random segment at which a round may begin. */
    private int randomStart() {
        int random = (int) Math.floorMod(platform.randomLong(), (long) firsts.size());
        return segments.indexOf(firsts.get(random));
    }

    private Duration jittered(Duration max) {
        long half = max.toNanos() / 2;
        return Duration.ofNanos(half + Math.floorMod(platform.randomLong(), half + 1));
    }
}
