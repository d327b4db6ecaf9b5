package io.holdfast.internal.lock;

import io.holdfast.AsyncLock;
import io.holdfast.Lease;
import io.holdfast.internal.access.Durations;
import io.holdfast.internal.slot.HoldSpec;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

/**
 * The asynchronous face of a lock, which completes futures of leases.
 *
 * @param told the executor that completes them
 */
record ClientAsyncLock(ClientParts client, String name, HoldSpec spec, Executor told) implements AsyncLock<Lease> {

    @Override
    public CompletableFuture<Lease> acquire() {
        return lease(Durations.NEVER);
    }

    @Override
    public CompletableFuture<Lease> acquire(Duration wait) {
        return lease(Durations.nanos(wait));
    }

    private CompletableFuture<Lease> lease(long wait) {
        Attempts attempts = new Attempts(client, name, spec, wait);
        return new AsyncAcquisition<LeaseHandle, Lease>(attempts, told, this::handle, lease -> lease, Optional.empty())
                .start();
    }

    @Override
    public CompletableFuture<Optional<Lease>> tryAcquire() {
        return leaseIfFree(spec, 0);
    }

    @Override
    public CompletableFuture<Optional<Lease>> tryAcquire(Duration wait) {
        return leaseIfFree(spec, Durations.nanos(wait));
    }

    @Override
    public CompletableFuture<Optional<Lease>> tryAcquire(Duration wait, Duration lease) {
        HoldSpec own = spec.ending(Durations.requireLease("lock '" + name + "': lease", lease));
        return leaseIfFree(own, Durations.nanos(wait));
    }

    /** Acquires like {@link #tryAcquire()}, but without the second attempt for a lock that may only be lingering. */
    CompletableFuture<Optional<Lease>> tryOnce() {
        return leaseIfFree(new Attempts(client, name, spec, 0).withoutGrace());
    }

    private CompletableFuture<Optional<Lease>> leaseIfFree(HoldSpec wanted, long wait) {
        return leaseIfFree(new Attempts(client, name, wanted, wait));
    }

    private CompletableFuture<Optional<Lease>> leaseIfFree(Attempts attempts) {
        return new AsyncAcquisition<LeaseHandle, Optional<Lease>>(
                        attempts, told, this::handle, Optional::of, Optional.of(Optional.empty()))
                .start();
    }

    private LeaseHandle handle() {
        return new LeaseHandle(client, name);
    }
}
