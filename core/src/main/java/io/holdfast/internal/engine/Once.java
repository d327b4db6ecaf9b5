package io.holdfast.internal.engine;

import java.util.concurrent.atomic.AtomicBoolean;

/** A task that runs at most once, however often it is submitted. */
final class Once implements Runnable {

    private final AtomicBoolean started = new AtomicBoolean();
    private final Runnable task;

    Once(Runnable task) {
        this.task = task;
    }

    @Override
    public void run() {
        if (started.compareAndSet(false, true)) {
            task.run();
        }
    }

    /** Prevents the task from running, unless it has started. */
    void cancel() {
        started.set(true);
    }

    boolean hasStarted() {
        return started.get();
    }
}
