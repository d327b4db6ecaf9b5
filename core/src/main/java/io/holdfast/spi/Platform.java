package io.holdfast.spi;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import java.util.concurrent.Executor;

/**
 * A source of time, threads, parking and randomness: all nondeterministic inputs of a client.
 *
 * <p>{@link #system()} is the platform of the JDK. A simulator replaces it, and runs the same client in virtual time.
 */
public interface Platform {

    /** Returns the time of a clock that never steps, in nanoseconds from an arbitrary origin, like {@link System#nanoTime}. */
    long nanoTime();

    /** Returns the time of the wall clock, in milliseconds since 1970, like {@link System#currentTimeMillis}. */
    long wallMillis();

    /** Returns 64 random bits. They are unpredictable on the real platform, so that ids do not collide. */
    long randomLong();

    /**
     * Parks the current thread until it is unparked or interrupted, or the time is up. It may return spuriously.
     *
     * @param blocker the object for which the thread waits, for thread dumps
     * @param nanos the maximum time in nanoseconds; {@link Long#MAX_VALUE} for no limit
     */
    void park(Object blocker, long nanos);

    /** Unparks a thread that is parked, or makes its next park return at once. */
    void unpark(Thread thread);

    /** Returns the current stack of a thread, innermost call first; empty if the thread has ended. */
    default StackTraceElement[] stack(Thread thread) {
        return thread.getStackTrace();
    }

    /** Returns a timer with a daemon thread of the given name, which is started when it is first needed. */
    Timer timer(String threadName);

    /**
     * Returns an executor with at most {@code threads} daemon threads of the given name. They start when needed, and end when
     * idle.
     */
    Worker worker(String threadName, int threads);

    /** Returns the real platform. */
    static Platform system() {
        return SystemPlatform.INSTANCE;
    }

    /**
     * A timer that runs short tasks later, one at a time. A task never blocks and makes no store call.
     *
     * <p>After the close, {@code schedule} returns a task that never runs.
     */
    interface Timer extends AutoCloseable {

        /** Runs the task after the delay, or at once if the delay is zero or less. */
        @CanIgnoreReturnValue
        Task schedule(long delayNanos, Runnable task);

        /** Cancels the scheduled tasks, and ends the thread. */
        @Override
        void close();
    }

    /** A scheduled task. */
    interface Task {

        /** Cancels the task if it has not begun. */
        void cancel();
    }

    /**
     * An executor that runs tasks on its own threads.
     *
     * <p>{@code execute} throws {@link java.util.concurrent.RejectedExecutionException} after the close, and another
     * {@link Throwable} if no thread could be started. In both cases the task does not run.
     */
    interface Worker extends Executor, AutoCloseable {

        /** Runs the tasks that were submitted before, then ends the threads. Further tasks are rejected. */
        @Override
        void close();
    }
}
