package io.holdfast.recipes;

import static io.holdfast.spi.Names.quoted;

import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import io.holdfast.HoldfastException;
import io.holdfast.Lease;
import io.holdfast.LockOptions;
import io.holdfast.LockTimeoutException;
import io.holdfast.internal.access.Awaiting;
import io.holdfast.internal.access.ClientAccess;
import io.holdfast.internal.access.Durations;
import io.holdfast.internal.access.LockAccess;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * The locks of the segments, and the segments that a caller may acquire.
 *
 * @param locks the locks of all segments
 * @param segments the segments that may be acquired, in ascending order
 * @param firsts the segments at which a round may begin; empty for any
 */
record ClientSegmentedLock(
        ClientAccess access, String name, List<DistributedLock> locks, List<Integer> segments, List<Integer> firsts)
        implements SegmentedLock {

    private static final int MAX_SEGMENTS = 1024;

    /** Returns a segmented lock with all segments, after it has checked each name. */
    static SegmentedLock of(Holdfast client, String name, int segments, LockOptions options) {
        Durations.requireNoLinger("segmented lock " + quoted(name), options.linger());
        requireName(client, name, options);
        if (segments < 1 || segments > MAX_SEGMENTS) {
            throw new IllegalArgumentException("segmented lock " + quoted(name) + ": " + segments
                    + " segments are out of range: 1 to " + MAX_SEGMENTS);
        }
        List<Integer> all = IntStream.range(0, segments).boxed().toList();
        List<DistributedLock> locks =
                all.stream().map(i -> lock(client, name, i, options)).toList();
        ClientAccess access = LockAccess.of("a segmented lock", locks.get(0)).access();
        return new ClientSegmentedLock(access, name, locks, all, List.of());
    }

    private static void requireName(Holdfast client, String name, LockOptions options) {
        var unused = client.lock(name, options);
    }

    private static DistributedLock lock(Holdfast client, String name, int segment, LockOptions options) {
        try {
            return client.lock(name + "#" + segment, options);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(
                    "segmented lock " + quoted(name) + " leaves no room for '#" + segment + "': " + e.getMessage(), e);
        }
    }

    @Override
    public DistributedLock segment(int segment) {
        return locks.get(require(segment));
    }

    private int require(int segment) {
        if (segment < 0 || segment >= locks.size()) {
            throw new IllegalArgumentException("segmented lock " + quoted(name) + " has no segment " + segment
                    + ": there are 0 to " + (locks.size() - 1));
        }
        return segment;
    }

    @Override
    public SegmentedLock without(int... excluded) {
        List<Integer> removed = listed(excluded);
        return new ClientSegmentedLock(access, name, locks, minus(segments, removed), minus(firsts, removed));
    }

    @Override
    public SegmentedLock startingAt(int... starts) {
        List<Integer> from = listed(starts).stream().filter(segments::contains).toList();
        return new ClientSegmentedLock(access, name, locks, segments, from);
    }

    private List<Integer> listed(int... some) {
        return Arrays.stream(some).map(this::require).boxed().toList();
    }

    private static List<Integer> minus(List<Integer> some, List<Integer> others) {
        return some.stream().filter(i -> !others.contains(i)).toList();
    }

    // ---- acquiring

    @Override
    public Optional<SegmentLease> tryAcquireAny() {
        return segments.isEmpty() ? Optional.empty() : Awaiting.uninterruptibly(() -> acquireAny(search(0), false));
    }

    @Override
    public Optional<SegmentLease> tryAcquireAny(Duration wait) throws InterruptedException {
        return segments.isEmpty() ? Optional.empty() : acquireAny(search(Durations.nanos(wait)), true);
    }

    @Override
    public SegmentLease acquireAny() throws InterruptedException {
        requireNotEmpty();
        return acquireAny(search(Durations.NEVER), true).orElseThrow();
    }

    @Override
    public SegmentLease acquireAny(Duration wait) throws InterruptedException {
        requireNotEmpty();
        SegmentSearch search = search(Durations.nanos(wait));
        Optional<SegmentLease> lease = acquireAny(search, true);
        return lease.isPresent() ? lease.get() : tryOnceMore(search.waitedMillis());
    }

    SegmentSearch search(long wait) {
        return new SegmentSearch(access, segments, firsts, wait);
    }

    void requireNotEmpty() {
        if (segments.isEmpty()) {
            throw new IllegalStateException("segmented lock " + quoted(name) + ": no segment remains, all "
                    + locks.size() + " were excluded; check segments() first");
        }
    }

    private Optional<SegmentLease> acquireAny(SegmentSearch search, boolean interruptible) throws InterruptedException {
        for (var attempt = search.next(); attempt.isPresent(); attempt = search.next()) {
            int segment = attempt.get().segment();
            DistributedLock lock = locks.get(segment);
            try {
                Optional<Lease> lease =
                        interruptible ? lock.tryAcquire(attempt.get().maxWait()) : lock.tryAcquire();
                if (lease.isPresent()) {
                    return lease.map(acquired -> new ClientSegmentLease(segment, acquired));
                }
            } catch (HoldfastException e) {
                if (!search.continuesAfter(e)) {
                    throw e;
                }
            }
        }
        return Optional.empty();
    }

    /** Tries once more, because the failure of that attempt names the holder. */
    private SegmentLease tryOnceMore(long waitedMillis) throws InterruptedException {
        int segment = sampleSegment();
        try {
            return new ClientSegmentLease(segment, locks.get(segment).acquire(Duration.ZERO));
        } catch (LockTimeoutException e) {
            throw timeout(waitedMillis, e);
        }
    }

    /** Returns a segment whose holder is named when no segment was acquired. */
    int sampleSegment() {
        return (firsts.isEmpty() ? segments : firsts).get(0);
    }

    LockTimeoutException timeout(long waitedMillis, LockTimeoutException example) {
        return new LockTimeoutException(
                name,
                "segmented lock " + quoted(name) + ": none of " + segments.size() + " segments was acquired within "
                        + waitedMillis + " ms; one of them: " + example.getMessage());
    }

    @Override
    public AsyncSegmentedLock async() {
        return new ClientAsyncSegmentedLock(this);
    }

    @Override
    public String toString() {
        return "segmented lock " + quoted(name) + ", " + segments.size() + " of " + locks.size() + " segments";
    }
}
