package io.holdfast.testkit;

import org.jspecify.annotations.Nullable;

/** A thread that runs the tasks of timers and workers, one after the other, as long as it is chosen. */
final class Carrier extends Participant {

    private final Scheduler scheduler;
    private final Thread thread;
    private @Nullable LaneTask task;

    /**
     * A task and the timer or worker to which it belongs.
     *
     * @param mayPark {@code true} if the task may wait
     * @param after the action that follows the task
     */
    record LaneTask(String lane, boolean mayPark, Runnable body, Runnable after) {}

    Carrier(Scheduler scheduler, int number) {
        super("carrier-" + number);
        this.scheduler = scheduler;
        thread = new Thread(GROUP, this::live, "simulation-" + name());
        thread.setDaemon(true);
        thread.start();
    }

    private void live() {
        scheduler.begin(this);
        while (!isKilled()) {
            if (task != null) {
                run(task);
                task = null;
            }
            if (!isKilled()) {
                scheduler.rest(this);
            }
        }
        scheduler.leave(this);
    }

    /** Runs a task under the name that a real thread would have. */
    private void run(LaneTask next) {
        String name = thread.getName();
        thread.setName(next.lane);
        try {
            next.body.run();
        } catch (SimThread.Killed e) {
            scheduler.log("killed");
        } catch (Throwable e) {
            scheduler.fail("a task of " + next.lane + " failed", e);
        }
        Thread.interrupted();
        thread.setName(name);
        next.after.run();
    }

    @Override
    Thread thread() {
        return thread;
    }

    @Override
    public String name() {
        return task == null ? super.name() : task.lane;
    }

    Carrier with(LaneTask next) {
        task = next;
        return this;
    }

    @Override
    boolean isAtWork() {
        return task != null;
    }

    boolean mayPark() {
        return task == null || task.mayPark;
    }
}
