package io.holdfast.testkit.engine;

import io.holdfast.spi.Platform;
import io.holdfast.testkit.Simulation;
import org.jspecify.annotations.Nullable;

/** A platform that has no threads, or no memory, when a test wants it. A pool has no thread of its own between two tasks. */
final class ScarcePlatform implements Platform {

    private final Simulation sim;
    private boolean noThreads;
    private @Nullable String poolWithoutThreads;
    private boolean noTimers;
    private boolean afterwards;
    private int refused;
    private @Nullable String method;
    private Runnable action = () -> {};

    ScarcePlatform(Simulation sim) {
        this.sim = sim;
    }

    void noThreads(boolean on) {
        noThreads = on;
    }

    /** One pool of each client has no threads; null for all pools to have some. */
    void noThreadsFor(@Nullable String pool) {
        poolWithoutThreads = pool;
    }

    private boolean hasNoThreads(String threadName) {
        String pool = poolWithoutThreads;
        return noThreads || (pool != null && threadName.endsWith(pool));
    }

    void noTimers(boolean on) {
        noTimers = on;
    }

    /** A worker takes each task, and then fails to start a thread for it; as a pool does that has queued the task before. */
    void noThreadsAfterwards(boolean on) {
        afterwards = on;
    }

    /** How many tasks were refused. */
    int refused() {
        return refused;
    }

    /**
     * Does this once, when the clock or a stack is read, or the thread is to be parked, within a method of this name. The name of its class
     * and a period may precede it.
     */
    void within(String name, Runnable once) {
        method = name;
        action = once;
    }

    /** Throws an error there. */
    void failWithin(String name) {
        within(name, () -> {
            throw new OutOfMemoryError("Java heap space");
        });
    }

    boolean hasFailed() {
        return method == null;
    }

    private void called() {
        String name = method;
        if (name != null
                && StackWalker.getInstance()
                        .walk(frames -> frames.anyMatch(
                                f -> (f.getClassName() + "." + f.getMethodName()).endsWith("." + name)))) {
            method = null;
            action.run();
        }
    }

    private OutOfMemoryError refuse() {
        refused++;
        return new OutOfMemoryError("unable to create native thread");
    }

    @Override
    public Worker worker(String threadName, int threads) {
        Worker worker = sim.worker(threadName, threads);
        return new Worker() {
            private boolean closed;

            @Override
            public void execute(Runnable task) {
                if (hasNoThreads(threadName) && !closed) {
                    throw refuse();
                }
                worker.execute(task);
                if (afterwards && !closed) {
                    throw refuse();
                }
            }

            @Override
            public void close() {
                closed = true;
                worker.close();
            }
        };
    }

    /** As with a real one, nobody hears of what its tasks throw. */
    @Override
    public Timer timer(String threadName) {
        Timer timer = sim.timer(threadName);
        return new Timer() {
            @Override
            public Task schedule(long delayNanos, Runnable task) {
                if (noTimers) {
                    throw refuse();
                }
                return timer.schedule(delayNanos, () -> run(task));
            }

            private void run(Runnable task) {
                try {
                    task.run();
                } catch (OutOfMemoryError e) {
                    sim.log("a task of " + threadName + " failed: " + e);
                }
            }

            @Override
            public void close() {
                timer.close();
            }
        };
    }

    @Override
    public long nanoTime() {
        called();
        return sim.nanoTime();
    }

    @Override
    public void park(Object blocker, long nanos) {
        called();
        sim.park(blocker, nanos);
    }

    @Override
    public StackTraceElement[] stack(Thread thread) {
        called();
        return sim.stack(thread);
    }

    @Override
    public long wallMillis() {
        return sim.wallMillis();
    }

    @Override
    public long randomLong() {
        return sim.randomLong();
    }

    @Override
    public void unpark(Thread thread) {
        sim.unpark(thread);
    }
}
