package io.holdfast.internal.counted;

import io.holdfast.internal.slot.SlotConfig;
import io.holdfast.spi.LatchReport;
import java.util.concurrent.CompletableFuture;

/**
 * One wait for a latch to open.
 *
 * <ol>
 *   <li>It waits for the setting that the store named to it first, and never for a later one (ABA).
 *   <li>Reports reach it from one thread at a time. The timeout may come from another thread at any moment. It ends the wait at
 *       once, or with the first report.
 * </ol>
 */
final class LatchWait {

    final String name;
    private final long arrived;

    /** The outcome: {@code true} if the latch has opened, {@code false} if the time was up before. */
    final CompletableFuture<Boolean> opened = new CompletableFuture<>();

    /** The number of the setting that it waits for; 0 until the store has answered. */
    private volatile long setting;

    private volatile boolean timeUp;

    LatchWait(String name, long arrived) {
        this.name = name;
        this.arrived = arrived;
    }

    void hear(LatchReport report) {
        if (setting == 0) {
            setting = report.set().orElse(0);
        }
        if (setting == 0) {
            end(unset(name));
            return;
        }
        switch (report.of(setting)) {
            case OPENED -> opened.complete(true);
            case UNOPENED -> end(gone(report, "had not opened"));
            case UNKNOWN -> end(gone(report, "the store no longer knows whether it had opened before"));
            case CLOSED -> endIfTimeIsUp();
        }
    }

    static IllegalStateException unset(String name) {
        return new IllegalStateException("latch '" + name
                + "' is not set: it was never set, was deleted, or its life has ended; call trySetCount first");
    }

    private IllegalStateException gone(LatchReport report, String before) {
        String what = report.set().isPresent() ? "was set again" : "was deleted, or its life ended,";
        return new IllegalStateException("latch '" + name + "' " + what + " while it was awaited, and " + before
                + "; check count(), or await it again");
    }

    void end(RuntimeException error) {
        opened.completeExceptionally(error);
    }

    /** Ends the wait without success, but not before the first answer, because nothing is known until then. */
    void timeIsUp() {
        timeUp = true;
        if (setting != 0) {
            opened.complete(false);
        }
    }

    private void endIfTimeIsUp() {
        if (timeUp) {
            opened.complete(false);
        }
    }

    /**
     * Returns the time until which it waits for a store that does not answer. Before the first answer, the command timeout
     * counts. After it, the wait goes on through an outage.
     */
    long patience(long outageSince, SlotConfig config) {
        if (setting == 0) {
            return arrived + config.command();
        }
        return Math.max(outageSince - arrived, 0) + arrived + config.outage();
    }
}
