package io.holdfast.internal;

import io.holdfast.spi.Platform;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A pool of threads that loses no task. The timer hands a task in again as long as no thread can be started for it.
 */
final class Pool implements Platform.Worker {

    private static final Logger LOG = LoggerFactory.getLogger("io.holdfast");
    private static final long AGAIN_NANOS = 10_000_000;

    private final Platform.Worker worker;
    private final Platform.Timer timer;
    private final String name;
    private final Executor afterwards;
    private final Queue<Runnable> putOff = new ConcurrentLinkedQueue<>();
    private final AtomicBoolean starved = new AtomicBoolean();

    /**
     * Starts nothing yet.
     *
     * @param timer has a thread already
     * @param afterwards gets what comes after the close
     */
    Pool(Platform platform, Platform.Timer timer, String name, int threads, Executor afterwards) {
        this.worker = platform.worker(name, threads);
        this.timer = timer;
        this.name = name;
        this.afterwards = afterwards;
    }

    @Override
    public void execute(Runnable task) {
        try {
            worker.execute(task);
        } catch (RejectedExecutionException e) {
            afterwards.execute(task);
        } catch (Throwable e) {
            putOff(task, e);
        }
    }

    private void putOff(Runnable task, Throwable why) {
        putOff.add(task);
        timer.schedule(AGAIN_NANOS, this::again);
        if (starved.compareAndSet(false, true)) {
            LOG.warn("{}: no thread could be started; it is tried again every 10 ms: {}", name, why.toString());
        }
    }

    private void again() {
        Runnable task = putOff.poll();
        if (task != null) {
            execute(task);
        }
        if (putOff.isEmpty()) {
            starved.set(false);
        }
    }

    @Override
    public void close() {
        worker.close();
        for (Runnable task = putOff.poll(); task != null; task = putOff.poll()) {
            afterwards.execute(task);
        }
    }
}
