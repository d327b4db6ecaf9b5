package io.holdfast.recipes;

import io.holdfast.AsyncLock;
import io.holdfast.internal.access.Durations;
import io.holdfast.internal.access.MemberSpec;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** The lease API of a composite lock with futures. */
record ClientAsyncCompositeLock<L>(ClientCompositeLock<L> lock) implements AsyncLock<L> {

    @Override
    public CompletableFuture<L> acquire() {
        return lock.start(MemberSpec.LEASED.orTimeout(), Durations.NEVER, Optional::orElseThrow);
    }

    @Override
    public CompletableFuture<L> acquire(Duration wait) {
        return lock.start(MemberSpec.LEASED.orTimeout(), Durations.nanos(wait), Optional::orElseThrow);
    }

    @Override
    public CompletableFuture<Optional<L>> tryAcquire() {
        return lock.start(MemberSpec.LEASED, 0, it -> it);
    }

    @Override
    public CompletableFuture<Optional<L>> tryAcquire(Duration wait) {
        return lock.start(MemberSpec.LEASED, Durations.nanos(wait), it -> it);
    }

    @Override
    public CompletableFuture<Optional<L>> tryAcquire(Duration wait, Duration lease) {
        return lock.start(lock.lasting(MemberSpec.LEASED, lease), Durations.nanos(wait), it -> it);
    }
}
