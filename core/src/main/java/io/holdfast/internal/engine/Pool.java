package io.holdfast.internal.engine;

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
    private final Queue<Once> putOff = new ConcurrentLinkedQueue<>();
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
        submit(new Once(task));
    }

    /** A worker may have taken the task before it failed to start a thread for it. */
    private void submit(Once task) {
        try {
            worker.execute(task);
        } catch (RejectedExecutionException e) {
            afterwards.execute(task);
        } catch (Throwable e) {
            putOff(task, e);
        }
    }

    private void putOff(Once task, Throwable why) {
        putOff.add(task);
        timer.schedule(AGAIN_NANOS, this::again);
        if (starved.compareAndSet(false, true)) {
            LOG.warn("{}: no thread could be started; it is tried again every 10 ms: {}", name, why.toString());
        }
    }

    private void again() {
        Once task = putOff.poll();
        if (task != null) {
            submit(task);
        }
        if (putOff.isEmpty()) {
            starved.set(false);
        }
    }

    @Override
    public void close() {
        worker.close();
        for (Once task = putOff.poll(); task != null; task = putOff.poll()) {
            afterwards.execute(task);
        }
    }
}
