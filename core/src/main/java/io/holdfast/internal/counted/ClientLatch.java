package io.holdfast.internal.counted;

import static io.holdfast.spi.Names.quoted;

import io.holdfast.AsyncLatch;
import io.holdfast.DistributedLatch;
import io.holdfast.internal.access.Awaiting;
import io.holdfast.internal.access.Durations;
import io.holdfast.spi.Change.Kind;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletionException;

/** The blocking face of a latch. The state of a wait is in {@link LatchWatches}. */
public record ClientLatch(Counting counting, LatchWatches latches, String name) implements DistributedLatch {

    @Override
    public boolean trySetCount(int count) {
        return change(Kind.TRY_COUNT, require(count), Optional.empty());
    }

    @Override
    public boolean trySetCount(int count, Duration life) {
        Durations.requireStorable("latch " + quoted(name) + ": life", life);
        return change(Kind.TRY_COUNT, require(count), Optional.of(life));
    }

    @Override
    public void countDown() {
        countDown(1);
    }

    @Override
    public void countDown(int count) {
        if (!change(Kind.COUNT_DOWN, require(count), Optional.empty())) {
            throw LatchWait.unset(name);
        }
    }

    @Override
    public void reset(int count) {
        var unused = change(Kind.RESET_COUNT, require(count), Optional.empty());
    }

    @Override
    public boolean delete() {
        return change(Kind.DELETE_COUNT, 0, Optional.empty());
    }

    private boolean change(Kind kind, int amount, Optional<Duration> life) {
        return counting.change("latch", name, kind, amount, life);
    }

    private int require(int count) {
        if (count < 1) {
            throw new IllegalArgumentException(
                    "latch " + quoted(name) + ": a count of " + count + " is out of range: at least 1");
        }
        return count;
    }

    @Override
    public int count() {
        return latches.report(name).count();
    }

    @Override
    public void await() throws InterruptedException {
        var unused = await(Durations.NEVER);
    }

    @Override
    public boolean await(Duration wait) throws InterruptedException {
        return await(Durations.nanos(wait));
    }

    private boolean await(long nanos) throws InterruptedException {
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
        Thread me = Thread.currentThread();
        LatchWait wait = latches.start(name, nanos);
        try {
            Awaiting.whenDone(wait.opened, () -> counting.platform().unpark(me));
            while (!wait.opened.isDone()) {
                counting.platform().park(wait, Durations.NEVER);
                if (Thread.interrupted()) {
                    endByInterrupt(wait);
                }
            }
            return result(wait);
        } finally {
            // a thread that fails withdraws its wait, without an effect on other waiters
            wait.opened.cancel(false);
        }
    }

    /**
     * Ends the wait because of an interrupt. If the wait has ended in the meantime, its outcome counts, and the interrupt is
     * preserved.
     */
    private static void endByInterrupt(LatchWait wait) throws InterruptedException {
        if (wait.opened.cancel(false)) {
            throw new InterruptedException();
        }
        Thread.currentThread().interrupt();
    }

    private static boolean result(LatchWait wait) {
        try {
            return wait.opened.join();
        } catch (CompletionException e) {
            if (e.getCause() instanceof RuntimeException cause) {
                cause.fillInStackTrace();
                throw cause;
            }
            throw e;
        }
    }

    @Override
    public AsyncLatch async() {
        return new ClientAsyncLatch(counting.tasks().callbacks(), latches, name);
    }

    @Override
    public String toString() {
        return "latch " + quoted(name) + " of " + counting.settings().name();
    }
}
