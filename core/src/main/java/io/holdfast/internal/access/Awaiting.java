package io.holdfast.internal.access;

import io.holdfast.spi.Platform;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/** Helper methods that wait for a future by parking the current thread on the {@link Platform}. */
public final class Awaiting {

    private Awaiting() {}

    /**
     * Waits until the future is done or the time is over. An interrupt does not end the wait, and is preserved.
     *
     * @param nanos the maximum time to wait; {@link Durations#NEVER} for no limit
     * @return whether the future is done
     */
    public static boolean done(Platform platform, CompletableFuture<?> future, long nanos) {
        if (future.isDone()) {
            return true;
        }
        Thread me = Thread.currentThread();
        whenDone(future, () -> platform.unpark(me));
        long deadline = platform.nanoTime() + nanos;
        boolean interrupted = false;
        for (long left = nanos;
                !future.isDone() && left > 0;
                left = nanos == Durations.NEVER ? nanos : deadline - platform.nanoTime()) {
            platform.park(future, left);
            interrupted |= Thread.interrupted();
        }
        if (interrupted) {
            me.interrupt();
        }
        return future.isDone();
    }

    /** Waits for a time. An interrupt does not end the wait, and is preserved. */
    public static void pause(Platform platform, long nanos) {
        done(platform, new CompletableFuture<>(), nanos);
    }

    /**
     * Waits until the future is done or the thread is interrupted. An interrupt that ends the wait is cleared, even if the
     * future has completed at the same moment.
     *
     * @return {@code false} if an interrupt ended the wait
     */
    public static boolean doneUnlessInterrupted(Platform platform, CompletableFuture<?> future) {
        Thread me = Thread.currentThread();
        whenDone(future, () -> platform.unpark(me));
        boolean interrupted = false;
        while (!future.isDone() && !interrupted) {
            platform.park(future, Durations.NEVER);
            interrupted = Thread.interrupted();
        }
        return !interrupted;
    }

    /** Runs a wait that ignores interrupts. A checked exception of the wait is a programming error. */
    public static <T> T uninterruptibly(Callable<T> wait) {
        try {
            return wait.call();
        } catch (RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new AssertionError("an uninterruptible wait was interrupted", e);
        }
    }

    /** Returns the error with which a future failed, without the exception in which a dependent future wraps it. */
    public static Throwable cause(Throwable error) {
        return error instanceof CompletionException && error.getCause() != null ? error.getCause() : error;
    }

    /** Runs the action when the future is done, by a value, by an error, or by cancellation. */
    public static void whenDone(CompletableFuture<?> future, Runnable action) {
        var unused = future.whenComplete((value, error) -> action.run());
    }
}
