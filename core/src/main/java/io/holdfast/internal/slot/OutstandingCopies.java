package io.holdfast.internal.slot;

import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import java.util.concurrent.atomic.AtomicLongFieldUpdater;

/**
 * The copies of a tenure's acquire that were sent and are not answered. Each may still be applied as a late duplicate, until
 * the server's clock passes its {@code notAfter}.
 */
public final class OutstandingCopies {

    private static final AtomicIntegerFieldUpdater<OutstandingCopies> OPEN =
            AtomicIntegerFieldUpdater.newUpdater(OutstandingCopies.class, "open");
    private static final AtomicLongFieldUpdater<OutstandingCopies> LATE_UNTIL =
            AtomicLongFieldUpdater.newUpdater(OutstandingCopies.class, "lateUntil");

    private volatile int open;
    private volatile long lateUntil;

    void sent(long notAfter) {
        LATE_UNTIL.accumulateAndGet(this, notAfter, Math::max);
        OPEN.incrementAndGet(this);
    }

    public void answered() {
        OPEN.decrementAndGet(this);
    }

    public boolean unanswered() {
        return open > 0;
    }

    /**
     * Returns for how many more microseconds of the server's clock a copy may be applied. It is zero or less if none ever will
     * be.
     */
    public long applicableFor(long serverMicros) {
        return lateUntil - serverMicros + 1;
    }
}
