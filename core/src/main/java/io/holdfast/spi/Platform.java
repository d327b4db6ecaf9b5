package io.holdfast.spi;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import java.util.concurrent.Executor;

/**
 * Time, threads, parking and randomness: everything in a client that is not determined by its inputs.
 *
 * <p>{@link #system()} is the real one. A simulator puts its own in its place and runs the same client in virtual time.
 */
public interface Platform {

    /** A clock that never steps, in nanoseconds from an arbitrary origin, like {@link System#nanoTime}. */
    long nanoTime();

    /** The wall clock, in milliseconds since 1970, like {@link System#currentTimeMillis}. */
    long wallMillis();

    /** 64 random bits; unpredictable on the real platform, so that ids do not collide. */
    long randomLong();

    /**
     * Parks the current thread until it is unparked, is interrupted, or the time has passed; may return for no reason.
     *
     * @param blocker what it waits for, for thread dumps
     * @param nanos how long at most; {@link Long#MAX_VALUE} for no limit
     */
    void park(Object blocker, long nanos);

    /** Lets a parked thread go on, or its next park return at once. */
    void unpark(Thread thread);

    /** What a thread does now, innermost call first; empty if it has ended. */
    default StackTraceElement[] stack(Thread thread) {
        return thread.getStackTrace();
    }

    /** A timer with a daemon thread of the given name, started when first needed. */
    Timer timer(String threadName);

    /** An executor with at most {@code threads} daemon threads of the given name, started when needed, ended when idle. */
    Worker worker(String threadName, int threads);

    /** The real platform. */
    static Platform system() {
        return SystemPlatform.INSTANCE;
    }

    /** Runs short tasks later, one at a time. A task never blocks and makes no store call. */
    interface Timer extends AutoCloseable {

        /** Runs the task after the delay; at once for zero or less. */
        @CanIgnoreReturnValue
        Task schedule(long delayNanos, Runnable task);

        /** Drops what is scheduled, and ends the thread. */
        @Override
        void close();
    }

    /** Something scheduled. */
    interface Task {

        /** Drops it, if it has not begun. */
        void cancel();
    }

    /**
     * Runs tasks on threads of its own.
     *
     * <p>{@code execute} throws {@link java.util.concurrent.RejectedExecutionException} after the close, and another
     * {@link Throwable} if no thread could be started. In both cases the task does not run.
     */
    interface Worker extends Executor, AutoCloseable {

        /** Runs the tasks that were handed in before, then ends the threads; further tasks are rejected. */
        @Override
        void close();
    }
}
