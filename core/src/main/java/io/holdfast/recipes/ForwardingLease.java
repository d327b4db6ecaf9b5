package io.holdfast.recipes;

import io.holdfast.Lease;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/** A lease that passes each call on to the lease of a lock. */
abstract class ForwardingLease implements Lease {

    final Lease lease;

    ForwardingLease(Lease lease) {
        this.lease = lease;
    }

    @Override
    public final String name() {
        return lease.name();
    }

    @Override
    public final long fencingToken() {
        return lease.fencingToken();
    }

    @Override
    public final boolean isValid() {
        return lease.isValid();
    }

    @Override
    public final Duration remainingLease() {
        return lease.remainingLease();
    }

    @Override
    public final void ensureValid(Duration atLeast) {
        lease.ensureValid(atLeast);
    }

    @Override
    public final void extend(Duration length) {
        lease.extend(length);
    }

    @Override
    public void close() {
        lease.close();
    }

    @Override
    public CompletableFuture<Void> closeAsync() {
        return lease.closeAsync();
    }
}
