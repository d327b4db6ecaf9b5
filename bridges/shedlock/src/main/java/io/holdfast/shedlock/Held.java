package io.holdfast.shedlock;

import io.holdfast.Lease;
import io.holdfast.LeaseLostException;
import java.time.Duration;

/** A hold of a name, which successive lock objects of ShedLock use: one more with each extension. */
final class Held {

    private final Lease lease;
    private final NameKeeper keeper;
    private final ThreadHolds holds;

    /** Registers the hold with the current thread. */
    Held(Lease lease, NameKeeper keeper) {
        this.lease = lease;
        this.keeper = keeper;
        this.holds = ThreadHolds.add(this);
    }

    long fencingToken() {
        return lease.fencingToken();
    }

    boolean isValid() {
        return lease.isValid();
    }

    /** Moves the end of the hold. Returns {@code false} if the hold was lost. */
    boolean extend(Duration time) {
        try {
            lease.extend(time);
            return true;
        } catch (LeaseLostException e) {
            return false;
        }
    }

    /** Releases the hold, and keeps the name for the given time, which may be zero or negative. */
    void release(Duration keep) {
        holds.remove(this);
        if (keep.isZero() || keep.isNegative()) {
            lease.close();
        } else {
            keeper.keep(keep, lease);
        }
    }

    @Override
    public String toString() {
        return lease.toString();
    }
}
