package io.holdfast.internal;

import java.util.concurrent.atomic.LongAccumulator;
import java.util.concurrent.atomic.LongAdder;

/** What a client counts. */
final class Counters {

    final LongAdder grants = new LongAdder();
    final LongAdder handoffs = new LongAdder();
    final LongAdder retaken = new LongAdder();
    final LongAdder releases = new LongAdder();
    final LongAdder lost = new LongAdder();
    final LongAdder storeCalls = new LongAdder();
    final LongAdder storeFailures = new LongAdder();
    final LongAdder renewals = new LongAdder();
    final LongAdder signals = new LongAdder();
    final LongAccumulator renewalLagNanos = new LongAccumulator(Math::max, 0);
}
