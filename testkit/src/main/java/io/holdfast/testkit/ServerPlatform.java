package io.holdfast.testkit;

import io.holdfast.spi.Platform;
import java.time.Duration;

/** The platform of a server in a simulation: another machine with its own clocks. */
final class ServerPlatform implements Platform {

    private static final long NANOS_PER_MILLI = 1_000_000;

    private final Simulation simulation;
    private long ahead;

    ServerPlatform(Simulation simulation) {
        this.simulation = simulation;
    }

    void step(Duration by) {
        ahead += by.toNanos();
    }

    @Override
    public long nanoTime() {
        return simulation.outsideNanos() + ahead;
    }

    @Override
    public long wallMillis() {
        return Simulation.wallStartMillis() + Math.floorDiv(nanoTime(), NANOS_PER_MILLI);
    }

    @Override
    public long randomLong() {
        return simulation.randomLong();
    }

    @Override
    public void park(Object blocker, long nanos) {
        simulation.park(blocker, nanos);
    }

    @Override
    public void unpark(Thread thread) {
        simulation.unpark(thread);
    }

    @Override
    public Timer timer(String threadName) {
        return simulation.timer(threadName);
    }

    @Override
    public Worker worker(String threadName, int threads) {
        return simulation.worker(threadName, threads);
    }
}
