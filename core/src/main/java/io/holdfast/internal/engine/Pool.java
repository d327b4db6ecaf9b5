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
 * A pool of threads that loses no task.
 *
 * <ol>
 *   <li>A task runs at most once. The worker may have taken a task before it failed to start a thread for it. The task is then
 *       submitted again, but runs once only (duplicate execution).
 *   <li>If no thread can be started for a task, the timer submits it again every 10 ms, until a thread takes it.
 *   <li>A task that comes after the close is passed to another executor.
 * </ol>
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
     * Creates a pool, which starts no thread yet.
     *
     * @param timer the timer, whose thread was started before
     * @param afterwards receives the tasks that come after the close
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

    /** Submits a task, which may be a duplicate: a worker may have taken it before it failed to start a thread for it. */
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
        try {
            timer.schedule(AGAIN_NANOS, this::again);
        } catch (RejectedExecutionException closed) {
            // the close may have looked for such tasks before this one was there
            passOn();
        }
        if (starved.compareAndSet(false, true)) {
            LOG.warn("{}: no thread could be started; trying again every 10 ms: {}", name, why.toString());
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
        passOn();
    }

    private void passOn() {
        for (Once task = putOff.poll(); task != null; task = putOff.poll()) {
            afterwards.execute(task);
        }
    }
}
