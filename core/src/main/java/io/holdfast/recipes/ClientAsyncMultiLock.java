package io.holdfast.recipes;

import io.holdfast.AsyncLock;
import io.holdfast.Lease;
import io.holdfast.internal.access.Durations;
import io.holdfast.internal.access.MemberSpec;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiFunction;
import java.util.function.LongFunction;

/** The lease API of a multi-lock with futures. */
record ClientAsyncMultiLock(AllOrNothing all, LongFunction<Timeout> timeout) implements AsyncLock<MultiLease> {

    @Override
    public CompletableFuture<MultiLease> acquire() {
        return acquire(Durations.NEVER, (member, left) -> member.acquire());
    }

    @Override
    public CompletableFuture<MultiLease> acquire(Duration wait) {
        return acquire(Durations.nanos(wait), AsyncLock::acquire);
    }

    private CompletableFuture<MultiLease> acquire(
            long wait, BiFunction<AsyncLock<Lease>, Duration, CompletableFuture<Lease>> ask) {
        return new MultiRequest<Lease, MultiLease>(
                        all,
                        timeout.apply(wait),
                        MemberSpec.LEASED.insisting(),
                        ask,
                        Optional::of,
                        Optional::orElseThrow)
                .start();
    }

    @Override
    public CompletableFuture<Optional<MultiLease>> tryAcquire() {
        return tryAcquire(0, MemberSpec.LEASED, (member, left) -> member.tryAcquire());
    }

    @Override
    public CompletableFuture<Optional<MultiLease>> tryAcquire(Duration wait) {
        return tryAcquire(Durations.nanos(wait), MemberSpec.LEASED, AsyncLock::tryAcquire);
    }

    @Override
    public CompletableFuture<Optional<MultiLease>> tryAcquire(Duration wait, Duration lease) {
        Durations.requireLease(MultiTexts.of(all.members()) + ": lease", lease);
        return tryAcquire(
                Durations.nanos(wait),
                MemberSpec.LEASED.lasting(lease),
                (member, left) -> member.tryAcquire(left, lease));
    }

    private CompletableFuture<Optional<MultiLease>> tryAcquire(
            long wait,
            MemberSpec spec,
            BiFunction<AsyncLock<Lease>, Duration, CompletableFuture<Optional<Lease>>> ask) {
        return new MultiRequest<Optional<Lease>, Optional<MultiLease>>(
                        all, timeout.apply(wait), spec, ask, lease -> lease, got -> got)
                .start();
    }
}
