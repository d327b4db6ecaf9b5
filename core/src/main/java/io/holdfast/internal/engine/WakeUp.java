package io.holdfast.internal.engine;

import io.holdfast.internal.access.Durations;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.ObjLongConsumer;

/**
 * A wake-up of a task, at the earliest time for which it is wanted.
 *
 * <ol>
 *   <li>At most one wake-up is planned, and is the earliest one that was wanted. Earlier plans that were replaced do nothing.
 *   <li>A wake-up that is overdue for too long was lost (lost wake-up). The next one that is wanted replaces it.
 * </ol>
 */
final class WakeUp {

    private final ObjLongConsumer<Runnable> timer;
    private final long lostAfter;
    private final Runnable task;
    private final AtomicLong plannedAt = new AtomicLong(Durations.NEVER);

    /**
     * Creates a wake-up that is not planned.
     *
     * @param timer runs a task after a number of nanoseconds
     * @param lostAfter the number of nanoseconds after which an overdue wake-up was lost
     */
    WakeUp(ObjLongConsumer<Runnable> timer, long lostAfter, Runnable task) {
        this.timer = timer;
        this.lostAfter = lostAfter;
        this.task = task;
    }

    /** Plans a wake-up, unless an earlier one is planned. An overdue one is planned for now. */
    void by(long wanted, long now) {
        // a time far back would look like a lost wake-up
        long at = wanted - now < 0 ? now : wanted;
        long planned = plannedAt.get();
        while (planned == Durations.NEVER || at - planned < 0 || now - planned > lostAfter) {
            if (plannedAt.compareAndSet(planned, at)) {
                plan(at, at - now);
                return;
            }
            planned = plannedAt.get();
        }
    }

    private void plan(long at, long nanos) {
        try {
            timer.accept(() -> wake(at), nanos);
        } catch (Throwable e) {
            // nothing will wake the task: who wants it next has to plan it
            plannedAt.compareAndSet(at, Durations.NEVER);
            throw e;
        }
    }

    private void wake(long at) {
        if (plannedAt.compareAndSet(at, Durations.NEVER)) {
            task.run();
        }
    }
}
