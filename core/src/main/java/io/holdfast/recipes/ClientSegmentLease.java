package io.holdfast.recipes;

import io.holdfast.Lease;
import io.holdfast.LeaseLostException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/** The lease of the lock of a segment, with the number of the segment. */
record ClientSegmentLease(int segment, Lease lease) implements SegmentLease {

    @Override
    public String lockName() {
        return lease.lockName();
    }

    @Override
    public long token() {
        return lease.token();
    }

    @Override
    public boolean isValid() {
        return lease.isValid();
    }

    @Override
    public Duration remaining() {
        return lease.remaining();
    }

    @Override
    public void ensureValid(Duration atLeast) {
        lease.ensureValid(atLeast);
    }

    @Override
    public SegmentLease onLost(Consumer<LeaseLostException> action) {
        lease.onLost(action);
        return this;
    }

    @Override
    public void extend(Duration length) {
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

    @Override
    public String toString() {
        return "segment " + segment + ": " + lease;
    }
}
