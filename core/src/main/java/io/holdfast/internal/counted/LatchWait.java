package io.holdfast.internal.counted;

import static io.holdfast.spi.Names.quoted;

import io.holdfast.internal.slot.SlotConfig;
import io.holdfast.spi.LatchReport;
import java.util.concurrent.CompletableFuture;

/**
 * One wait for a latch to open.
 *
 * <ol>
 *   <li>The wait is for the setting that the first answer of the store named, and never for a later one (ABA).
 *   <li>Reports arrive from one thread at a time. The timeout may arrive from another thread at any moment. It ends the wait at
 *       once, or with the first report if there was none yet.
 * </ol>
 */
final class LatchWait {

    final String name;
    private final long arrived;

    /** The outcome: {@code true} if the latch has opened, {@code false} if the wait has timed out. */
    final CompletableFuture<Boolean> opened = new CompletableFuture<>();

    /** The number of the awaited setting; 0 until the store has answered. */
    private volatile long setting;

    private volatile boolean timedOut;

    LatchWait(String name, long arrived) {
        this.name = name;
        this.arrived = arrived;
    }

    void onReport(LatchReport report) {
        if (setting == 0) {
            setting = report.set().orElse(0);
        }
        if (setting == 0) {
            fail(unset(name));
            return;
        }
        switch (report.of(setting)) {
            case OPENED -> opened.complete(true);
            case UNOPENED -> fail(ended(report, "had not opened"));
            case UNKNOWN -> fail(ended(report, "the store no longer knows whether it had opened before"));
            case CLOSED -> completeIfTimedOut();
        }
    }

    static IllegalStateException unset(String name) {
        return new IllegalStateException("latch " + quoted(name)
                + " is not set: it was never set, was deleted, or its life has ended; call trySetCount first");
    }

    private IllegalStateException ended(LatchReport report, String before) {
        String what = report.set().isPresent() ? "was set again" : "was deleted, or its life ended,";
        return new IllegalStateException("latch " + quoted(name) + " " + what + " while it was awaited, and " + before
                + "; check count(), or await it again");
    }

    void fail(RuntimeException error) {
        opened.completeExceptionally(error);
    }

    /** Ends the wait with {@code false}, but not before the first answer, because nothing is known until then. */
    void timeOut() {
        timedOut = true;
        if (setting != 0) {
            opened.complete(false);
        }
    }

    private void completeIfTimedOut() {
        if (timedOut) {
            opened.complete(false);
        }
    }

    /**
     * Returns the time until which this wait tolerates a store that does not answer. Before the first answer, it tolerates the
     * command timeout. After that, it tolerates an outage of the configured length.
     */
    long patience(long outageSince, SlotConfig config) {
        if (setting == 0) {
            return arrived + config.command();
        }
        return Math.max(outageSince - arrived, 0) + arrived + config.outage();
    }
}
