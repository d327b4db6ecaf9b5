package io.holdfast.internal;

/** Runs tasks that may call the store, after a delay: never on the timer's own thread, which fires deadlines. */
@FunctionalInterface
interface Later {

    void run(long delayNanos, Runnable task);
}
