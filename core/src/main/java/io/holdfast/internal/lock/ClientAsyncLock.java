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
        return new AsyncAcquisition<LeaseHandle, Lease>(
                        client, told, this::handle, spec, wait, lease -> lease, Optional.empty())
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
        return ifFree(spec, 0).withoutGrace().start();
    }

    private CompletableFuture<Optional<Lease>> leaseIfFree(HoldSpec wanted, long wait) {
        return ifFree(wanted, wait).start();
    }

    private AsyncAcquisition<LeaseHandle, Optional<Lease>> ifFree(HoldSpec wanted, long wait) {
        return new AsyncAcquisition<>(
                client, told, this::handle, wanted, wait, Optional::of, Optional.of(Optional.empty()));
    }

    private LeaseHandle handle() {
        return new LeaseHandle(client, name);
    }
}
