package io.holdfast.recipes;

import io.holdfast.Lease;
import io.holdfast.LeaseLostException;
import java.util.function.Consumer;

/** The lease of the lock of a segment, with the number of the segment. */
final class ClientSegmentLease extends ForwardingLease implements SegmentLease {

    private final int segment;

    ClientSegmentLease(int segment, Lease lease) {
        super(lease);
        this.segment = segment;
    }

    @Override
    public int segment() {
        return segment;
    }

    @Override
    public SegmentLease onLost(Consumer<LeaseLostException> action) {
        lease.onLost(action);
        return this;
    }

    @Override
    public String toString() {
        return "segment " + segment + ": " + lease;
    }
}
