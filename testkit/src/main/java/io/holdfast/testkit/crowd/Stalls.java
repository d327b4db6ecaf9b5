package io.holdfast.testkit.crowd;

import java.util.concurrent.locks.LockSupport;

/** Measures for how long this process did not run: because it was stopped, or because its machine was busy. */
final class Stalls {

    private static final long STEP_NANOS = 20_000_000;
    private static final long STALL_NANOS = 40_000_000;

    private volatile long stalled;

    /** Starts to measure, in a daemon thread. */
    void start() {
        Thread thread = new Thread(this::measure, "stalls");
        thread.setDaemon(true);
        thread.start();
    }

    @SuppressWarnings("NonAtomicVolatileUpdate") // one thread writes
    private void measure() {
        long last = System.nanoTime();
        while (true) {
            LockSupport.parkNanos(STEP_NANOS);
            long now = System.nanoTime();
            if (now - last > STALL_NANOS) {
                stalled += now - last;
            }
            last = now;
        }
    }

    /** Returns the nanoseconds for which this process was stalled so far. */
    long nanos() {
        return stalled;
    }
}
