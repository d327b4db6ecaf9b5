package io.holdfast.recipes;

import io.holdfast.HoldfastException;
import io.holdfast.Lease;
import io.holdfast.LockTimeoutException;
import io.holdfast.internal.access.Durations;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/** The API of a segmented lock with futures. */
record ClientAsyncSegmentedLock(ClientSegmentedLock lock) implements AsyncSegmentedLock {

    @Override
    public CompletableFuture<SegmentLease> acquireAny() {
        return acquireAny(Durations.NEVER);
    }

    @Override
    public CompletableFuture<SegmentLease> acquireAny(Duration wait) {
        return acquireAny(Durations.nanos(wait));
    }

    private CompletableFuture<SegmentLease> acquireAny(long wait) {
        lock.requireNotEmpty();
        return new Request<SegmentLease>(lock, lock.search(wait), it -> it, Optional.empty(), new Relay<>()).start();
    }

    @Override
    public CompletableFuture<Optional<SegmentLease>> tryAcquireAny() {
        return tryAcquireAny(Duration.ZERO);
    }

    @Override
    public CompletableFuture<Optional<SegmentLease>> tryAcquireAny(Duration wait) {
        if (lock.segments().isEmpty()) {
            return CompletableFuture.completedFuture(Optional.empty());
        }
        SegmentSearch search = lock.search(Durations.nanos(wait));
        return new Request<Optional<SegmentLease>>(
                        lock, search, Optional::of, Optional.of(Optional.empty()), new Relay<>())
                .start();
    }

    /**
     * One search, which requests one segment at a time until it acquires a lease.
     *
     * @param none the result if all segments are held; empty to fail in that case
     */
    private record Request<T>(
            ClientSegmentedLock lock,
            SegmentSearch search,
            Function<SegmentLease, T> result,
            Optional<T> none,
            Relay<T> relay) {

        CompletableFuture<T> start() {
            requestNext();
            return relay.future();
        }

        private void requestNext() {
            search.next().ifPresentOrElse(this::request, this::finish);
        }

        private void request(SegmentSearch.Attempt attempt) {
            relay.track(
                    lock.segment(attempt.segment()).async().tryAcquire(attempt.maxWait()),
                    lease -> answered(attempt.segment(), lease),
                    this::failed);
        }

        private void answered(int segment, Optional<Lease> lease) {
            lease.ifPresentOrElse(acquired -> deliver(segment, acquired), this::tryNext);
        }

        private void deliver(int segment, Lease lease) {
            relay.deliver(lease, () -> result.apply(new ClientSegmentLease(segment, lease)));
        }

        /** Requests the next segment, unless the future is done. */
        private void tryNext() {
            if (!relay.isDone()) {
                requestNext();
            }
        }

        private void failed(Throwable error) {
            if (error instanceof HoldfastException failure && search.continuesAfter(failure)) {
                tryNext();
            } else {
                relay.fail(error);
            }
        }

        /** Ends the search when all segments are held and the time is up. */
        private void finish() {
            none.ifPresentOrElse(relay::complete, this::tryOnceMore);
        }

        /** Tries once more, because the failure of that attempt names the holder. */
        private void tryOnceMore() {
            int segment = lock.sampleSegment();
            long waitedMillis = search.waitedMillis();
            relay.track(
                    lock.segment(segment).async().acquire(Duration.ZERO),
                    lease -> deliver(segment, lease),
                    error -> relay.fail(
                            error instanceof LockTimeoutException e ? lock.timeout(waitedMillis, e) : error));
        }
    }
}
