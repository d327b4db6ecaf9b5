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
 * The tasks of one client that run later, or on another thread. Delayed tasks may call the store. So they never run on the
 * timer's thread, which fires deadlines.
 */
public final class Tasks {

    /** A kind of users' code. Code of one kind delays no code of another kind. */
    public enum Callback {
        /** Any code that is of no other kind. */
        PLAIN,
        /** An action for the end of a leadership. */
        END,
        /** An action for a loss. */
        LOSS
    }

    private final Threads threads;
    private final Events events;
    private final Set<Once> pending = ConcurrentHashMap.newKeySet();
    private volatile boolean closed;

    /** Set by the close of the client, just before it ends all store calls. */
    volatile boolean callsClosed;

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
        pending.add(once);
        Platform.Task timer = run(nanos, () -> runNow(once));
        // close race: the task is added first. So either this check sees the close, or the close sees the task
        if (closed) {
            runNow(once);
        }
        return () -> {
            once.cancel();
            pending.remove(once);
            timer.cancel();
        };
    }

    private void runNow(Once once) {
        pending.remove(once);
        once.run();
    }

    /** Returns a future that completes when the answer arrives, or after the given number of nanoseconds. */
    CompletableFuture<Void> doneOrTimeout(CompletableFuture<?> answer, long nanos) {
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
    public void runCallback(Callback kind, String what, Runnable code) {
        Executor executor = switch (kind) {
            case PLAIN -> threads.callbacks();
            case END -> threads.ends();
            case LOSS -> threads.losses();
        };
        executor.execute(guarded(what, code));
    }

    /**
     * Notifies an action of the loss. An action of a user runs on a thread that may block. An action of the engine runs on a
     * thread that may not.
     */
    void notifyLoss(LossAction action, LeaseLostException loss) {
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
                logFailure(what, e);
            }
        };
    }

    /**
     * Logs an error. After the close of the client, the failure of a store call is not logged, because the close ends all
     * calls.
     */
    public void logFailure(String what, Throwable error) {
        if (!(error instanceof StoreException && callsClosed)) {
            events.failure(what, error);
        }
    }

    // ---- the close of the client

    /** Returns {@code true} if the client is closed, or is being closed. */
    public boolean isClosed() {
        return closed;
    }

    /** Marks the client as closed. The close of the client does this before everything else. */
    void close() {
        closed = true;
    }

    /** Runs the pending tasks of {@link #runByClose}. */
    void runPending() {
        pending.forEach(this::runNow);
    }
}
