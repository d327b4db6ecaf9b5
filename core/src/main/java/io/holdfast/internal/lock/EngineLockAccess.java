package io.holdfast.internal.lock;

import io.holdfast.Lease;
import io.holdfast.internal.access.ClientAccess;
import io.holdfast.internal.access.Durations;
import io.holdfast.internal.access.LockAccess;
import io.holdfast.internal.engine.Tasks;
import io.holdfast.internal.slot.HoldSpec;
import io.holdfast.spi.Platform;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** The operations of a lock at one server for a quorum lock, carried out by the engine. */
record EngineLockAccess(ClientParts client, String name, HoldSpec spec, ClientAccess access) implements LockAccess {

    @Override
    public String address() {
        return client.inspector().store();
    }

    @Override
    public Duration lease() {
        return spec.lease();
    }

    @Override
    public Duration validityOf(Duration lease) {
        return lease.minusNanos(HoldSpec.margin(lease.toNanos()));
    }

    @Override
    public void requireLease(String what, Duration lease) {
        client.waits().requireLease(what, lease);
    }

    @Override
    public Duration commandTimeout() {
        return client.settings().store().commandTimeout();
    }

    @Override
    public boolean isClosed() {
        return client.tasks().isClosed();
    }

    @Override
    public CompletableFuture<Optional<Lease>> tryOnce(Optional<Duration> lease) {
        return lock(lease).tryOnce();
    }

    @Override
    public CompletableFuture<Optional<Lease>> await(Optional<Duration> lease, Duration wait) {
        return lock(lease).tryAcquire(wait);
    }

    private ClientAsyncLock lock(Optional<Duration> lease) {
        HoldSpec requested = lease.map(spec::withOwnLease).orElse(spec);
        return new ClientAsyncLock(client, name, requested, client.tasks().background());
    }

    @Override
    public boolean isBeingRequested() {
        return client.ownHolds().isRequested(name);
    }

    @Override
    public Platform.Task later(Duration delay, Runnable task) {
        return client.tasks().runByClose(Durations.nanos(delay), task);
    }

    @Override
    public void notifyLoss(String what, Runnable action) {
        client.tasks().runCallback(Tasks.Callback.LOSS, what, action);
    }
}
