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
 *   <li>A task runs at most once. A worker may accept a task and then fail to start a thread for it. The task is then submitted
 *       again, but does not run twice (duplicate execution).
 *   <li>If no thread can be started for a task, the timer submits it again every 10 ms, until a worker accepts it.
 *   <li>A task that is submitted after the close is passed to another executor.
 * </ol>
 */
final class Pool implements Platform.Worker {

    private static final Logger LOG = LoggerFactory.getLogger("io.holdfast");
    private static final long RETRY_NANOS = 10_000_000;

    private final Platform.Worker worker;
    private final Platform.Timer timer;
    private final String name;
    private final Executor afterClose;
    private final Queue<Once> deferred = new ConcurrentLinkedQueue<>();
    private final AtomicBoolean starved = new AtomicBoolean();
    private volatile boolean closed;

    /**
     * Creates a pool, which starts no thread yet.
     *
     * @param timer the timer, whose thread is already started
     * @param afterClose receives the tasks that are submitted after the close
     */
    Pool(Platform platform, Platform.Timer timer, String name, int threads, Executor afterClose) {
        this.worker = platform.worker(name, threads);
        this.timer = timer;
        this.name = name;
        this.afterClose = afterClose;
    }

    @Override
    public void execute(Runnable task) {
        submit(new Once(task));
    }

    /** Submits a task, which may be a duplicate: a worker may have accepted it before it failed to start a thread. */
    private void submit(Once task) {
        try {
            worker.execute(task);
        } catch (RejectedExecutionException e) {
            afterClose.execute(task);
        } catch (Throwable e) {
            defer(task, e);
        }
    }

    private void defer(Once task, Throwable cause) {
        deferred.add(task);
        timer.schedule(RETRY_NANOS, this::retry);
        // close race: the task is added first. So either this check sees the close, or the close sees the task
        if (closed) {
            drain();
        }
        if (starved.compareAndSet(false, true)) {
            LOG.warn("{}: no thread could be started; trying again every 10 ms: {}", name, cause.toString());
        }
    }

    private void retry() {
        Once task = deferred.poll();
        if (task != null) {
            submit(task);
        }
        if (deferred.isEmpty()) {
            starved.set(false);
        }
    }

    @Override
    public void close() {
        closed = true;
        worker.close();
        drain();
    }

    private void drain() {
        for (Once task = deferred.poll(); task != null; task = deferred.poll()) {
            afterClose.execute(task);
        }
    }
}
