package io.holdfast.internal.engine;

import io.holdfast.spi.Platform;
import java.util.Optional;
import java.util.concurrent.Executor;

/**
 * The threads of one client. The timer's thread is started with the client, because it retries tasks for which no other thread
 * can be started. All other threads are started when they are first needed.
 *
 * <p>A task that is submitted after the close runs on the thread that submits it, so that no future remains incomplete.
 *
 * @param timer fires deadlines, and never calls the store
 * @param renewal sends renewals only, so that no other work can delay them
 * @param background runs all other delayed tasks
 * @param senders calls a store that blocks
 * @param callbacks runs users' code
 * @param ends runs the actions of users for the end of a leadership, which often wait for work to end. So they delay no other
 *     callbacks
 * @param losses runs the actions of users for losses only, so that no other code of users delays them
 */
public record Threads(
        Platform.Timer timer,
        Platform.Worker renewal,
        Platform.Worker background,
        Platform.Worker senders,
        Dispatcher callbacks,
        Dispatcher ends,
        Platform.Worker losses) {

    /**
     * The way to the executor of users' code.
     *
     * @param pool passes the code to the executor of the user, and runs what that executor rejects. An executor that runs its tasks
     *     on the calling thread delays nothing but other tasks of this pool
     * @param executor the executor of the user; empty to run the code in the pool
     */
    public record Dispatcher(Platform.Worker pool, Optional<Executor> executor) implements Executor {

        @Override
        public void execute(Runnable task) {
            pool.execute(
                    executor.<Runnable>map(user -> () -> submit(user, task)).orElse(task));
        }
    }

    private static final int SENDERS = 8;
    private static final int CALLBACKS = 2;
    private static final long START_NANOS = 1_000_000_000;

    public static Threads of(Platform platform, String client, Optional<Executor> callbacks) {
        String prefix = "holdfast-" + client + "-";
        Platform.Timer timer = platform.timer(prefix + "timer");
        timer.schedule(START_NANOS, () -> {}).cancel();
        return new Threads(
                timer,
                pool(platform, timer, prefix + "renewal", 1),
                pool(platform, timer, prefix + "background", 1),
                pool(platform, timer, prefix + "calls", SENDERS),
                new Dispatcher(pool(platform, timer, prefix + "callbacks", CALLBACKS), callbacks),
                new Dispatcher(pool(platform, timer, prefix + "ends", CALLBACKS), callbacks),
                pool(platform, timer, prefix + "losses", 1));
    }

    private static Platform.Worker pool(Platform platform, Platform.Timer timer, String name, int threads) {
        return new Pool(platform, timer, name, threads, Runnable::run);
    }

    /**
     * Passes a task to the executor of the user. A task that the executor rejects runs here. A task that has started before the
     * executor failed does not run again (duplicate execution).
     */
    private static void submit(Executor userExecutor, Runnable task) {
        Once once = new Once(task);
        try {
            userExecutor.execute(once);
        } catch (RuntimeException | Error e) {
            if (once.hasStarted()) {
                throw e;
            }
            once.run();
        }
    }

    public void close() {
        timer.close();
        renewal.close();
        background.close();
        senders.close();
        callbacks.pool().close();
        ends.pool().close();
        losses.close();
    }
}
