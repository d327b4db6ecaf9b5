package io.holdfast.internal.lock;

import static io.holdfast.spi.Names.quoted;

import io.holdfast.AsyncLock;
import io.holdfast.Lease;
import io.holdfast.internal.access.Durations;
import io.holdfast.internal.slot.HoldSpec;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Function;

/**
 * The asynchronous face of a lock, which completes futures of leases.
 *
 * @param executor the executor that completes the futures
 */
record ClientAsyncLock(ClientParts client, String name, HoldSpec spec, Executor executor) implements AsyncLock<Lease> {

    @Override
    public CompletableFuture<Lease> acquire() {
        return lease(Durations.NEVER);
    }

    @Override
    public CompletableFuture<Lease> acquire(Duration wait) {
        return lease(Durations.nanos(wait));
    }

    private CompletableFuture<Lease> lease(long wait) {
        return start(new Attempts(client, name, spec, wait), lease -> lease, Optional.empty());
    }

    @Override
    public CompletableFuture<Optional<Lease>> tryAcquire() {
        return tryLease(new Attempts(client, name, spec, 0));
    }

    @Override
    public CompletableFuture<Optional<Lease>> tryAcquire(Duration wait) {
        return tryLease(new Attempts(client, name, spec, Durations.nanos(wait)));
    }

    @Override
    public CompletableFuture<Optional<Lease>> tryAcquire(Duration wait, Duration lease) {
        HoldSpec requested = spec.withOwnLease(Durations.requireLease("lock " + quoted(name) + ": lease", lease));
        return tryLease(new Attempts(client, name, requested, Durations.nanos(wait)));
    }

    /** Acquires like {@link #tryAcquire()}, but without a second attempt if the lock may only be lingering. */
    CompletableFuture<Optional<Lease>> tryOnce() {
        return tryLease(new Attempts(client, name, spec, 0).withoutGrace());
    }

    private CompletableFuture<Optional<Lease>> tryLease(Attempts attempts) {
        return start(attempts, Optional::of, Optional.of(Optional.empty()));
    }

    /**
     * Acquires this lock as a single member of a multi-lock.
     *
     * @param tries {@code true} if a refusal is a result; otherwise the future fails with a timeout
     */
    CompletableFuture<Optional<Lease>> asMember(long wait, boolean tries) {
        Optional<Optional<Lease>> busy = tries ? Optional.of(Optional.empty()) : Optional.empty();
        return start(new Attempts(client, name, spec, wait), Optional::of, busy);
    }

    private <T> CompletableFuture<T> start(Attempts attempts, Function<LeaseHandle, T> result, Optional<T> busy) {
        return new AsyncAcquisition<>(attempts, executor, () -> new LeaseHandle(client, name), result, busy).start();
    }
}
