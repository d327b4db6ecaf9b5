package io.holdfast.internal.engine;

import io.holdfast.internal.access.Durations;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.ObjLongConsumer;

/**
 * A wake-up of a task of the client, at the earliest requested time. It is not for threads that wait for a lock: see
 * {@link io.holdfast.internal.slot.Waiter}.
 *
 * <ol>
 *   <li>At most one wake-up counts: the earliest one that was requested. A wake-up that an earlier one has replaced does
 *       nothing.
 *   <li>A wake-up that is overdue for too long counts as lost (lost wake-up). The next request replaces it.
 * </ol>
 */
final class WakeUp {

    private final ObjLongConsumer<Runnable> timer;
    private final long lostAfter;
    private final Runnable task;
    private final AtomicLong scheduledAt = new AtomicLong(Durations.NEVER);

    /**
     * Creates a wake-up that is not scheduled yet.
     *
     * @param timer runs a task after a number of nanoseconds
     * @param lostAfter the number of nanoseconds after which an overdue wake-up counts as lost
     */
    WakeUp(ObjLongConsumer<Runnable> timer, long lostAfter, Runnable task) {
        this.timer = timer;
        this.lostAfter = lostAfter;
        this.task = task;
    }

    /** Schedules a wake-up, unless an earlier one is scheduled. A time that has passed is replaced by the present time. */
    void wakeBy(long time, long now) {
        // a time that passed long ago would look like a lost wake-up
        long at = time - now < 0 ? now : time;
        long scheduled = scheduledAt.get();
        while (scheduled == Durations.NEVER || at - scheduled < 0 || now - scheduled > lostAfter) {
            if (scheduledAt.compareAndSet(scheduled, at)) {
                schedule(at, at - now);
                return;
            }
            scheduled = scheduledAt.get();
        }
    }

    private void schedule(long at, long nanos) {
        try {
            timer.accept(() -> wake(at), nanos);
        } catch (Throwable e) {
            // lost wake-up: nothing will wake the task, so the next request has to schedule it
            scheduledAt.compareAndSet(at, Durations.NEVER);
            throw e;
        }
    }

    private void wake(long at) {
        if (scheduledAt.compareAndSet(at, Durations.NEVER)) {
            task.run();
        }
    }
}
