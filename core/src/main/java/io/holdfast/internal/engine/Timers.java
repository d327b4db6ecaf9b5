package io.holdfast.internal.engine;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.holdfast.spi.Platform;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;

/** The delayed tasks of one client. They may call the store, so they never run on the timer's thread, which fires deadlines. */
public final class Timers {

    private final Engine engine;
    private final Set<Delayed> open = ConcurrentHashMap.newKeySet();

    Timers(Engine engine) {
        this.engine = engine;
    }

    /** Runs the task after the delay. */
    @CanIgnoreReturnValue
    public Platform.Task run(long nanos, Runnable task) {
        Threads threads = engine.threads;
        Runnable guarded = engine.guarded("a background task", task);
        return threads.timer().schedule(nanos, () -> threads.background().execute(guarded));
    }

    /** Runs the task after the delay, or when the client is closed, whichever is earlier. It runs at most once. */
    public Platform.Task runByClose(long nanos, Runnable task) {
        Delayed delayed = new Delayed(task);
        open.add(delayed);
        delayed.timer = run(nanos, delayed::run);
        // close race: a close just before may not have seen this task
        if (engine.closed) {
            delayed.run();
        }
        return delayed;
    }

    /** Runs the tasks that were to run by the close. */
    void runAll() {
        open.forEach(Delayed::run);
    }

    /** A task that runs once, or is canceled. */
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
                    engine.events.failure("a delayed task", e);
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
