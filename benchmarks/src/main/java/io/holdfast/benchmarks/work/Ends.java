package io.holdfast.benchmarks.work;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** Waits for the ends of a number of tasks. The first failure ends the wait. */
final class Ends {

    private final CountDownLatch running;
    private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();

    Ends(int tasks) {
        running = new CountDownLatch(tasks);
    }

    /** A task that can be interrupted. */
    interface Task {
        void run() throws InterruptedException;
    }

    /** Runs one task, and counts its end. */
    void run(Task task) {
        try {
            task.run();
            one();
        } catch (InterruptedException | RuntimeException | Error e) {
            failed(e);
        }
    }

    /** Counts the end of one task. */
    void one() {
        running.countDown();
    }

    void failed(Throwable e) {
        failure.compareAndSet(null, e);
        while (running.getCount() > 0) {
            running.countDown();
        }
    }

    boolean hasFailed() {
        return failure.get() != null;
    }

    void await() throws InterruptedException {
        running.await();
        rethrow();
    }

    void rethrow() {
        if (hasFailed()) {
            throw new IllegalStateException("an operation failed", failure.get());
        }
    }
}
