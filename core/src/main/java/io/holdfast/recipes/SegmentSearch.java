package io.holdfast.recipes;

import io.holdfast.HoldfastException;
import io.holdfast.StoreRefusedException;
import io.holdfast.internal.access.ClientAccess;
import io.holdfast.spi.Platform;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * The order in which segments are asked for, and the time to wait for each. It sends no request itself.
 *
 * <p>A round begins at a random segment, and asks for each segment once, without waiting. After a round without success, the
 * search waits at the first segment of that round. The time slice of this wait doubles each time. It is jittered, so that many
 * waiters spread over the segments and do not come back together. The search waits in a queue, and does not just ask again and
 * again. So owners inside one process can hand a segment over without the store.
 *
 * <p>The first round is complete even if the time is up. After that, the search ends with its time.
 */
final class SegmentSearch {

    /**
     * One request for a segment.
     *
     * @param patience the maximum time to wait for the segment; zero means not to wait
     */
    record Ask(int segment, Duration patience) {}

    private static final Duration FIRST_SLICE = Duration.ofMillis(25);
    private static final Duration LONGEST_SLICE = Duration.ofSeconds(1);

    private final ClientAccess access;
    private final Platform platform;
    private final List<Integer> segments;
    private final List<Integer> firsts;
    private final Timeout timeout;
    private int start;
    private int asked;
    private long askedAt;
    private boolean waiting;
    private Duration slice = FIRST_SLICE;
    private boolean failedBefore;
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
        this.start = draw();
    }

    /** Returns the next request; empty when the time is up. */
    Optional<Ask> next() {
        askedAt = platform.nanoTime();
        if (asked == segments.size()) {
            return slice();
        }
        if (waiting && timeout.isOver()) {
            return Optional.empty();
        }
        int segment = segments.get((start + asked) % segments.size());
        asked++;
        return Optional.of(new Ask(segment, Duration.ZERO));
    }

    private Optional<Ask> slice() {
        Duration left = timeout.left();
        if (left.isZero() || left.isNegative()) {
            return Optional.empty();
        }
        Duration here = segments.size() == 1 || left.compareTo(slice) < 0 ? left : jittered(slice);
        Ask ask = new Ask(segments.get(start), here);
        Duration twice = slice.multipliedBy(2);
        slice = twice.compareTo(LONGEST_SLICE) < 0 ? twice : LONGEST_SLICE;
        waiting = true;
        asked = 0;
        start = draw();
        return Optional.of(ask);
    }

    /** Returns {@code true} if the search continues after this failure. A waiter continues to wait through an outage. */
    boolean survives(HoldfastException failure) {
        long now = platform.nanoTime();
        long most = access.maxOutage().toNanos();
        // "held" does not prove an answer, because the client may know it from another waiter; so time separates two
        // outages
        if (!failedBefore || now - lastFailure >= most) {
            outageSince = askedAt;
        }
        failedBefore = true;
        lastFailure = now;
        return waiting && !(failure instanceof StoreRefusedException) && now - outageSince < most && !timeout.isOver();
    }

    long waitedMillis() {
        return timeout.waitedMillis();
    }

    /** Returns the index of a random segment at which a round may begin. */
    private int draw() {
        int random = (int) Math.floorMod(platform.randomLong(), (long) firsts.size());
        return segments.indexOf(firsts.get(random));
    }

    private Duration jittered(Duration most) {
        long half = most.toNanos() / 2;
        return Duration.ofNanos(half + Math.floorMod(platform.randomLong(), half + 1));
    }
}
