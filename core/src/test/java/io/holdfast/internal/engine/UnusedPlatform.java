package io.holdfast.internal.engine;

import io.holdfast.spi.Platform;

/** A platform that a test replaces in part. The rest must not be used. */
class UnusedPlatform implements Platform {

    @Override
    public Worker worker(String threadName, int threads) {
        throw new UnsupportedOperationException();
    }

    @Override
    public long nanoTime() {
        throw new UnsupportedOperationException();
    }

    @Override
    public long wallMillis() {
        throw new UnsupportedOperationException();
    }

    @Override
    public long randomLong() {
        throw new UnsupportedOperationException();
    }

    @Override
    public void park(Object blocker, long nanos) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void unpark(Thread thread) {
        throw new UnsupportedOperationException();
    }

    @Override
    public Timer timer(String threadName) {
        throw new UnsupportedOperationException();
    }
}
