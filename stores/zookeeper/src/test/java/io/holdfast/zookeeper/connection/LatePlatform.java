package io.holdfast.zookeeper.connection;

import io.holdfast.spi.Platform;

/** A platform whose wall clock shows 1970. */
final class LatePlatform implements Platform {

    private final Platform real = Platform.system();

    @Override
    public long nanoTime() {
        return real.nanoTime();
    }

    @Override
    public long wallMillis() {
        return 0;
    }

    @Override
    public long randomLong() {
        return real.randomLong();
    }

    @Override
    public void park(Object blocker, long nanos) {
        real.park(blocker, nanos);
    }

    @Override
    public void unpark(Thread thread) {
        real.unpark(thread);
    }

    @Override
    public Timer timer(String threadName) {
        return real.timer(threadName);
    }

    @Override
    public Worker worker(String threadName, int threads) {
        return real.worker(threadName, threads);
    }
}
