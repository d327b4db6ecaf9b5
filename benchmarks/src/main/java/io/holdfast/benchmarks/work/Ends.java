package io.holdfast.benchmarks.work;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** The ends of a number of tasks. The first failure ends the wait for all of them. */
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

    /** Runs one task to its end. */
    void run(Task task) {
        try {
            task.run();
            one();
        } catch (InterruptedException | RuntimeException | Error e) {
            failed(e);
        }
    }

    /** Counts one task that has ended. */
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
