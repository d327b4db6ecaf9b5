package io.holdfast.internal.counted;

import io.holdfast.internal.slot.SlotConfig;
import io.holdfast.spi.LatchReport;
import java.util.concurrent.CompletableFuture;

/**
 * One who waits for a latch to open: for that setting of it which the store told first, not for a later one. Told by one
 * thread at a time.
 */
final class LatchWait {

    final String name;
    private final long arrived;

    /** Whether it opened, or else the time was up. */
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
            case UNKNOWN -> end(gone(report, "the store does not know any more whether it had opened before"));
            case CLOSED -> endIfTimeIsUp();
        }
    }

    static IllegalStateException unset(String name) {
        return new IllegalStateException("latch '" + name
                + "' is not set: it never was, was deleted, or its life is over; call trySetCount first");
    }

    private IllegalStateException gone(LatchReport report, String before) {
        String what = report.set().isPresent() ? "was set anew" : "was deleted, or its life was over,";
        return new IllegalStateException("latch '" + name + "' " + what + " while it was awaited, and " + before
                + "; look at count(), or await it again");
    }

    void end(RuntimeException error) {
        opened.completeExceptionally(error);
    }

    /** Without a first answer nothing can be said. */
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

    /** Until when it waits for a store that does not answer: once answered, through an outage. */
    long patience(long outageSince, SlotConfig config) {
        if (setting == 0) {
            return arrived + config.command();
        }
        return Math.max(outageSince - arrived, 0) + arrived + config.outage();
    }
}
