package io.holdfast.testkit.contract;

import io.holdfast.spi.Platform;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** A harness for a store with a real server, where time passes by itself. */
public abstract class RealTimeHarness implements StoreHarness {

    private static final long LOOK_NANOS = 5_000_000;

    private static final int CONCURRENT_RULES = 16;

    /** Creates the harness, for subclasses. */
    protected RealTimeHarness() {}

    @Override
    public Platform platform() {
        return Platform.system();
    }

    /** Returns 16, because a rule spends most of its time waiting. */
    @Override
    public int concurrentRules() {
        return CONCURRENT_RULES;
    }

    @Override
    public final void pass(Duration time) {
        passUntil(() -> false, time);
    }

    @Override
    public final void passUntil(BooleanSupplier condition, Duration atMost) {
        long end = System.nanoTime() + atMost.toNanos();
        for (long left = atMost.toNanos(); left > 0 && !condition.getAsBoolean(); left = end - System.nanoTime()) {
            LockSupport.parkNanos(Math.min(left, LOOK_NANOS));
        }
    }
}
