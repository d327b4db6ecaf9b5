package io.holdfast.internal;

import io.holdfast.spi.Platform;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;

/**
 * The threads of one client, each started when first needed.
 *
 * @param timer fires deadlines; never calls the store
 * @param renewal sends renewals, and nothing else, so that nothing else can hold them up
 * @param background everything else that was put off
 * @param senders calls a store that blocks
 * @param handover hands users' code to their executor, and runs what that rejects: an executor that runs its tasks on the
 *     calling thread holds up nothing but other callbacks
 * @param callbacks runs users' code
 */
record Threads(
        Platform.Timer timer,
        Platform.Worker renewal,
        Platform.Worker background,
        Platform.Worker senders,
        Platform.Worker handover,
        Executor callbacks) {

    private static final int SENDERS = 8;
    private static final int CALLBACKS = 2;

    static Threads of(Platform platform, String client, Optional<Executor> callbacks) {
        String prefix = "holdfast-" + client + "-";
        Platform.Worker handover = platform.worker(prefix + "callbacks", CALLBACKS);
        return new Threads(
                platform.timer(prefix + "timer"),
                platform.worker(prefix + "renewal", 1),
                platform.worker(prefix + "background", 1),
                platform.worker(prefix + "calls", SENDERS),
                handover,
                callbacks
                        .<Executor>map(theirs -> task -> handover.execute(() -> hand(theirs, task)))
                        .orElse(handover));
    }

    private static void hand(Executor theirs, Runnable task) {
        try {
            theirs.execute(task);
        } catch (RejectedExecutionException e) {
            task.run();
        }
    }

    void close() {
        timer.close();
        renewal.close();
        background.close();
        senders.close();
        handover.close();
    }
}
