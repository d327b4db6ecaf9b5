package io.holdfast.testkit;

import io.holdfast.spi.Platform;
import java.util.ArrayDeque;
import java.util.concurrent.RejectedExecutionException;

/** A worker in virtual time. It runs a limited number of tasks at once, started in their order. Each task may wait. */
final class SimWorker implements Platform.Worker, Ready {

    private final Scheduler scheduler;
    private final String name;
    private final int threads;
    private final ArrayDeque<Runnable> tasks = new ArrayDeque<>();
    private int busy;
    private boolean offered;
    private boolean closed;

    SimWorker(Scheduler scheduler, String name, int threads) {
        this.scheduler = scheduler;
        this.name = name;
        this.threads = threads;
    }

    @Override
    public void execute(Runnable task) {
        scheduler.current();
        if (closed) {
            throw new RejectedExecutionException("worker " + name + " is closed");
        }
        tasks.add(task);
        offer();
    }

    private void offer() {
        if (!offered && !tasks.isEmpty() && busy < threads) {
            offered = true;
            scheduler.addReady(this);
        }
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public Participant take() {
        offered = false;
        busy++;
        Runnable task = tasks.remove();
        offer();
        return scheduler.carrierFor(new Carrier.LaneTask(name, true, task, this::finished));
    }

    private void finished() {
        busy--;
        offer();
    }

    @Override
    public void close() {
        closed = true;
    }

    int taskCount() {
        return tasks.size() + busy;
    }
}
