package io.holdfast.internal.engine;

import java.util.concurrent.atomic.AtomicBoolean;

/** A task that runs once, however often it is submitted. */
final class Once implements Runnable {

    private final AtomicBoolean begun = new AtomicBoolean();
    private final Runnable task;

    Once(Runnable task) {
        this.task = task;
    }

    @Override
    public void run() {
        if (begun.compareAndSet(false, true)) {
            task.run();
        }
    }

    /** Makes the task never run, unless it has begun. */
    void cancel() {
        begun.set(true);
    }

    boolean hasBegun() {
        return begun.get();
    }
}
