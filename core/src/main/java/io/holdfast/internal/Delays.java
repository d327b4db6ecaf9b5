package io.holdfast.internal;

import io.holdfast.spi.Platform;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;

/** Tasks that are put off, but not beyond the end of their client: what is still to come runs when it is closed. */
final class Delays {

    private final Engine engine;
    private final Set<Delayed> open = ConcurrentHashMap.newKeySet();

    Delays(Engine engine) {
        this.engine = engine;
    }

    Platform.Task run(long nanos, Runnable task) {
        Delayed delayed = new Delayed(task);
        open.add(delayed);
        delayed.timer = engine.later.run(nanos, delayed::run);
        // who closed the client just before could not see it
        if (engine.closed) {
            delayed.run();
        }
        return delayed;
    }

    void runAll() {
        open.forEach(Delayed::run);
    }

    /** Runs once, or is cancelled. */
    private final class Delayed implements Platform.Task {

        private final Runnable task;
        private final AtomicBoolean done = new AtomicBoolean();
        private volatile Platform.Task timer = () -> {};

        Delayed(Runnable task) {
            this.task = task;
        }

        void run() {
            if (leave()) {
                try {
                    task.run();
                } catch (Throwable e) {
                    engine.events.failure("a task that was put off", e);
                }
            }
        }

        private boolean leave() {
            open.remove(this);
            timer.cancel();
            return done.compareAndSet(false, true);
        }

        @Override
        public void cancel() {
            var unused = leave();
        }
    }
}
