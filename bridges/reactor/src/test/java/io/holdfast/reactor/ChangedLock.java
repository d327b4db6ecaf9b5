package io.holdfast.reactor;

import io.holdfast.AsyncLock;
import io.holdfast.Lease;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/** A lock whose requests a test replaces, to force a race. */
record ChangedLock(AsyncLock<Lease> real, Function<CompletableFuture<Lease>, CompletableFuture<Lease>> change)
        implements AsyncLock<Lease> {

    @Override
    public CompletableFuture<Lease> acquire() {
        return change.apply(real.acquire());
    }

    @Override
    public CompletableFuture<Lease> acquire(Duration wait) {
        return change.apply(real.acquire(wait));
    }

    @Override
    public CompletableFuture<Optional<Lease>> tryAcquire() {
        throw new UnsupportedOperationException();
    }

    @Override
    public CompletableFuture<Optional<Lease>> tryAcquire(Duration wait) {
        throw new UnsupportedOperationException();
    }

    @Override
    public CompletableFuture<Optional<Lease>> tryAcquire(Duration wait, Duration lease) {
        throw new UnsupportedOperationException();
    }
}
