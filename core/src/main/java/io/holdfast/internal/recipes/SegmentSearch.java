package io.holdfast.internal.recipes;

import io.holdfast.HoldfastException;
import io.holdfast.StoreRefusedException;
import io.holdfast.internal.access.ClientAccess;
import io.holdfast.spi.Platform;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * In which order segments are asked, and how long for; it asks nobody itself.
 *
 * <p>A round asks each segment once, without waiting, from a random one on. After a round in vain it waits at the first
 * segment of that round, for a slice of time that doubles and is jittered, so that many who wait spread over the segments
 * and do not come back together. Waiting in a queue, rather than asking again and again, lets the owners inside one
 * process pass a segment on without the store.
 *
 * <p>The first round is complete whatever the time; after that the search ends with its time.
 */
final class SegmentSearch {

    /**
     * One question.
     *
     * @param patience for how long to wait for it; zero for not waiting
     */
    record Ask(int segment, Duration patience) {}

    static final Duration FOREVER = Duration.ofSeconds(Long.MAX_VALUE);
    private static final Duration FIRST_SLICE = Duration.ofMillis(25);
    private static final Duration LONGEST_SLICE = Duration.ofSeconds(1);

    private final ClientAccess access;
    private final Platform platform;
    private final List<Integer> segments;
    private final List<Integer> firsts;
    private final long began;
    private final Duration wait;
    private int start;
    private int asked;
    private long askedAt;
    private boolean waiting;
    private Duration slice = FIRST_SLICE;
    private boolean failedBefore;
    private long lastFailure;
    private long outageSince;

    /**
     * @param segments never none
     * @param firsts where a round begins; none for anywhere
     */
    SegmentSearch(ClientAccess access, List<Integer> segments, List<Integer> firsts, Duration wait) {
        this.access = access;
        this.platform = access.platform();
        this.segments = segments;
        this.firsts = firsts.isEmpty() ? segments : firsts;
        this.began = platform.nanoTime();
        this.wait = wait.isNegative() ? Duration.ZERO : wait;
        this.start = draw();
    }

    /** The next question; empty when the time is up. */
    Optional<Ask> next() {
        askedAt = platform.nanoTime();
        if (asked == segments.size()) {
            return slice();
        }
        if (waiting && timeIsUp()) {
            return Optional.empty();
        }
        int segment = segments.get((start + asked) % segments.size());
        asked++;
        return Optional.of(new Ask(segment, Duration.ZERO));
    }

    private Optional<Ask> slice() {
        Duration left = left();
        if (left.isZero()) {
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

    /** Whether to go on after that failure: one who waits stays through an outage. */
    boolean survives(HoldfastException failure) {
        long now = platform.nanoTime();
        long most = access.maxOutage().toNanos();
        // "held" proves no answer, as the client may know it from another waiter: outages are told apart by time
        if (!failedBefore || now - lastFailure >= most) {
            outageSince = askedAt;
        }
        failedBefore = true;
        lastFailure = now;
        return waiting && !(failure instanceof StoreRefusedException) && now - outageSince < most && !timeIsUp();
    }

    /** For how long it has gone on. */
    Duration elapsed() {
        return Duration.ofNanos(platform.nanoTime() - began);
    }

    private boolean timeIsUp() {
        return left().isZero();
    }

    private Duration left() {
        Duration left = wait.minus(elapsed());
        return left.isNegative() ? Duration.ZERO : left;
    }

    /** The place of one of the firsts. */
    private int draw() {
        int random = (int) Math.floorMod(platform.randomLong(), (long) firsts.size());
        return segments.indexOf(firsts.get(random));
    }

    private Duration jittered(Duration most) {
        long half = most.toNanos() / 2;
        return Duration.ofNanos(half + Math.floorMod(platform.randomLong(), half + 1));
    }
}
