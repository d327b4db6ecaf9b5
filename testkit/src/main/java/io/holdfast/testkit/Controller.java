package io.holdfast.testkit;

import java.util.concurrent.locks.LockSupport;

/** The test's own thread. While it waits for the turn, it checks that the others make progress in real time. */
final class Controller extends Participant {

    private static final long LOOK_NANOS = 100_000_000;

    private final Scheduler scheduler;
    private Thread thread = Thread.currentThread();
    private long patienceNanos = 10_000_000_000L;
    private long seenSteps;
    private long seenAt;

    Controller(Scheduler scheduler) {
        super("test");
        this.scheduler = scheduler;
    }

    @Override
    boolean isAtWork() {
        return true;
    }

    @Override
    Thread thread() {
        return thread;
    }

    /** Makes another thread the controller, because the methods of a test may run on several threads, one after the other. */
    void become(Thread other) {
        thread = other;
    }

    void patience(long nanos) {
        patienceNanos = nanos;
    }

    @Override
    @SuppressWarnings("ThreadPriorityCheck")
    void waitAWhile() {
        if (thread.isInterrupted()) {
            Thread.yield();
        } else {
            LockSupport.parkNanos(this, LOOK_NANOS);
        }
        long now = System.nanoTime();
        if (scheduler.steps() != seenSteps || seenAt == 0) {
            seenSteps = scheduler.steps();
            seenAt = now;
        } else if (now - seenAt > patienceNanos) {
            throw scheduler.stuck();
        }
    }

    @Override
    void beginWaiting() {
        seenAt = 0;
    }
}
