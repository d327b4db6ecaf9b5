package io.holdfast.internal.access;

import io.holdfast.spi.Platform;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;

/** Waits for a future by parking on the platform. */
public final class Awaiting {

    private Awaiting() {}

    /** Waits until it is done or the time, {@link Durations#NEVER} for ever, has passed; an interrupt is kept for later. Returns whether it is done. */
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

    /** Waits until it is done, or the thread is interrupted, whose interrupt is cleared then; whether it is done. */
    public static boolean doneUnlessInterrupted(Platform platform, CompletableFuture<?> future) {
        Thread me = Thread.currentThread();
        whenDone(future, () -> platform.unpark(me));
        while (!future.isDone() && !Thread.interrupted()) {
            platform.park(future, Durations.NEVER);
        }
        return future.isDone();
    }

    /** Runs a wait that no interrupt ends. */
    public static <T> T uninterruptibly(Callable<T> wait) {
        try {
            return wait.call();
        } catch (RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new AssertionError("an uninterruptible wait was interrupted", e);
        }
    }

    /** Runs the action when the future is done, however. */
    public static void whenDone(CompletableFuture<?> future, Runnable action) {
        var unused = future.whenComplete((value, error) -> action.run());
    }
}
