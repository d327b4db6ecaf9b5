package io.holdfast.internal.engine;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.holdfast.LeaseLostException;
import io.holdfast.internal.access.Awaiting;
import io.holdfast.internal.slot.LossAction;
import io.holdfast.spi.Platform;
import io.holdfast.spi.StoreException;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;

/**
 * The tasks of one client that run later, or on another thread. Delayed tasks may call the store, so they never run on the
 * timer's thread, which fires deadlines.
 */
public final class Tasks {

    private final Threads threads;
    private final Events events;
    private final Set<Once> open = ConcurrentHashMap.newKeySet();
    private volatile boolean closed;

    /** Set by the close of the client, just before it ends all store calls. */
    volatile boolean callsEnded;

    Tasks(Threads threads, Events events) {
        this.threads = threads;
        this.events = events;
    }

    // ---- delayed tasks

    /** Runs the task after the delay. */
    @CanIgnoreReturnValue
    public Platform.Task run(long nanos, Runnable task) {
        Runnable guarded = guarded("a background task", task);
        return threads.timer().schedule(nanos, () -> threads.background().execute(guarded));
    }

    /** Runs the task after the delay, or when the client is closed, whichever is earlier. It runs at most once. */
    public Platform.Task runByClose(long nanos, Runnable task) {
        Once once = new Once(guarded("a delayed task", task));
        open.add(once);
        Platform.Task timer = run(nanos, () -> runNow(once));
        // close race: a close just before may not have seen this task
        if (closed) {
            runNow(once);
        }
        return () -> {
            once.cancel();
            open.remove(once);
            timer.cancel();
        };
    }

    private void runNow(Once once) {
        open.remove(once);
        once.run();
    }

    /** Returns a future that completes with the answer, or after the given number of nanoseconds. */
    CompletableFuture<Void> inTime(CompletableFuture<?> answer, long nanos) {
        CompletableFuture<Void> over = new CompletableFuture<>();
        Platform.Task timeout = run(nanos, () -> over.complete(null));
        Awaiting.whenDone(answer, () -> {
            timeout.cancel();
            over.complete(null);
        });
        return over;
    }

    // ---- other threads

    /** Returns the executor for users' code. */
    public Executor callbacks() {
        return threads.callbacks();
    }

    /** Returns the executor for work of the library that may call the store. */
    public Executor background() {
        return threads.background();
    }

    /** Runs users' code on the executor for it, and logs what it throws. */
    public void callBack(String what, Runnable code) {
        threads.callbacks().execute(guarded(what, code));
    }

    /** Runs an action of a user for a loss. An error that it throws is logged. */
    public void tellLoss(String what, Runnable action) {
        threads.losses().execute(guarded(what, action));
    }

    /**
     * Notifies an action of the loss. An action of a user runs on a thread that may block, an action of the engine on one that
     * may not.
     */
    void tell(LossAction action, LeaseLostException loss) {
        var executor = action.ofUser() ? threads.losses() : threads.background();
        executor.execute(guarded("an action for the loss", () -> action.action().accept(loss)));
    }

    // ---- errors

    /** Returns a task that logs every error of the given one, so that its executor continues with the next task. */
    private Runnable guarded(String what, Runnable task) {
        return () -> {
            try {
                task.run();
            } catch (Throwable e) {
                failed(what, e);
            }
        };
    }

    /**
     * Logs an error. The failure of a store call is not logged after the close of the client, which ends the calls under way.
     */
    public void failed(String what, Throwable error) {
        if (!(error instanceof StoreException && callsEnded)) {
            events.failure(what, error);
        }
    }

    // ---- the close of the client

    /** Returns {@code true} if the client is closed, or is being closed. */
    public boolean isClosed() {
        return closed;
    }

    /** Records that the client is being closed. This precedes everything else that the close does. */
    void close() {
        closed = true;
    }

    /** Runs the tasks that were to run by the close. */
    void runAll() {
        open.forEach(this::runNow);
    }
}
