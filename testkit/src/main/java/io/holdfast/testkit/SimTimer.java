package io.holdfast.testkit;

import io.holdfast.spi.Platform;
import java.util.ArrayDeque;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A timer in virtual time. Due tasks run one at a time, in the order of their moments. */
final class SimTimer implements Platform.Timer, Ready {

    private final Scheduler scheduler;
    private final String name;
    private final ArrayDeque<DelayedTask> due = new ArrayDeque<>();
    private final Set<DelayedTask> waiting = new HashSet<>();
    private boolean used;
    private boolean closed;

    private final class DelayedTask implements Platform.Task {

        private final Runnable body;
        private Agenda.@Nullable Entry entry;

        DelayedTask(Runnable body) {
            this.body = body;
        }

        void becomeDue() {
            waiting.remove(this);
            if (due.isEmpty()) {
                scheduler.addReady(SimTimer.this);
            }
            due.add(this);
        }

        @Override
        public void cancel() {
            if (waiting.remove(this) && entry != null) {
                entry.cancel();
            } else if (due.remove(this) && due.isEmpty()) {
                scheduler.dropReady(SimTimer.this);
            }
        }
    }

    SimTimer(Scheduler scheduler, String name) {
        this.scheduler = scheduler;
        this.name = name;
    }

    @Override
    public Platform.Task schedule(long delayNanos, Runnable body) {
        scheduler.current();
        DelayedTask task = new DelayedTask(body);
        used = true;
        if (!closed) {
            waiting.add(task);
            task.entry = scheduler.agenda.after(delayNanos, task::becomeDue);
        }
        return task;
    }

    @Override
    public String name() {
        return name;
    }

    /**
     * {@inheritDoc}
     *
     * <p>Tasks of a timer do not wait, so the next one may be offered before this one has run.
     */
    @Override
    public Participant take() {
        DelayedTask task = due.remove();
        if (!due.isEmpty()) {
            scheduler.addReady(this);
        }
        return scheduler.carrierFor(new Carrier.LaneTask(name, false, task.body, () -> {}));
    }

    @Override
    public void close() {
        closed = true;
        waiting.forEach(task -> {
            if (task.entry != null) {
                task.entry.cancel();
            }
        });
        waiting.clear();
        due.clear();
        scheduler.dropReady(this);
    }

    /** Returns {@code true} if a real timer would have a thread. */
    boolean isRunning() {
        return used && !closed;
    }

    int taskCount() {
        return waiting.size() + due.size();
    }
}
