package io.holdfast.internal.slot;

import java.util.concurrent.atomic.LongAccumulator;
import java.util.concurrent.atomic.LongAdder;

/** The counters of one client. */
public final class Counters {

    public final LongAdder grants = new LongAdder();
    public final LongAdder handoffs = new LongAdder();
    public final LongAdder retaken = new LongAdder();
    public final LongAdder releases = new LongAdder();
    public final LongAdder lost = new LongAdder();
    public final LongAdder storeCalls = new LongAdder();
    public final LongAdder storeFailures = new LongAdder();
    public final LongAdder renewals = new LongAdder();
    public final LongAdder renewalFailures = new LongAdder();
    public final LongAdder clockSteps = new LongAdder();
    public final LongAdder signals = new LongAdder();
    public final LongAccumulator renewalLagNanos = new LongAccumulator(Math::max, 0);
}
