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
        lock.requireSome();
        return new Request<SegmentLease>(lock, lock.search(wait), got -> got, Optional.empty(), new Relay<>()).start();
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
     * One search, which asks for one segment at a time until a lease is acquired.
     *
     * @param none the result if all segments are held; empty to fail in that case
     */
    private record Request<T>(
            ClientSegmentedLock lock,
            SegmentSearch search,
            Function<SegmentLease, T> got,
            Optional<T> none,
            Relay<T> relay) {

        CompletableFuture<T> start() {
            ask();
            return relay.future();
        }

        private void ask() {
            search.next().ifPresentOrElse(this::ask, this::end);
        }

        private void ask(SegmentSearch.Ask ask) {
            relay.pursue(
                    lock.segment(ask.segment()).async().tryAcquire(ask.patience()),
                    lease -> answered(ask.segment(), lease),
                    this::failed);
        }

        private void answered(int segment, Optional<Lease> lease) {
            lease.ifPresentOrElse(got -> deliver(segment, got), this::goOn);
        }

        private void deliver(int segment, Lease lease) {
            relay.deliver(lease, got.apply(new ClientSegmentLease(segment, lease)));
        }

        /** Asks for the next segment, unless the future has ended. */
        private void goOn() {
            if (!relay.ended()) {
                try {
                    ask();
                } catch (RuntimeException e) {
                    relay.fail(e);
                }
            }
        }

        private void failed(Throwable error) {
            if (error instanceof HoldfastException failure && search.survives(failure)) {
                goOn();
            } else {
                relay.fail(error);
            }
        }

        /** Ends the search: all segments are held, and the time is up. */
        private void end() {
            none.ifPresentOrElse(relay::complete, this::last);
        }

        /** Tries once more. The failure of that try names the owner in the way. */
        private void last() {
            int segment = lock.witness();
            long waitedMillis = search.waitedMillis();
            relay.pursue(
                    lock.segment(segment).async().acquire(Duration.ZERO),
                    lease -> deliver(segment, lease),
                    error -> relay.fail(
                            error instanceof LockTimeoutException e ? lock.timeout(waitedMillis, e) : error));
        }
    }
}
