package io.holdfast.internal;

import io.holdfast.spi.LatchReport;
import io.holdfast.spi.TenureId;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * One who waits for a latch to open: for that setting of it which the store told first, not for a later one. Told by one
 * thread at a time.
 */
final class LatchWait {

    final String name;
    private final long arrived;

    /** Whether it opened, or else the time was up. */
    final CompletableFuture<Boolean> opened = new CompletableFuture<>();

    private volatile @Nullable TenureId setting;
    private volatile boolean timeUp;

    LatchWait(String name, long arrived) {
        this.name = name;
        this.arrived = arrived;
    }

    void hear(LatchReport report) {
        TenureId known = setting;
        if (known == null && report.set().isEmpty()) {
            end(unset(name));
            return;
        }
        TenureId mine = known == null ? report.set().orElseThrow() : known;
        setting = mine;
        if (report.hasOpened(mine)) {
            opened.complete(true);
        } else if (report.set().filter(mine::equals).isEmpty()) {
            end(gone(report));
        } else if (timeUp) {
            opened.complete(false);
        }
    }

    static IllegalStateException unset(String name) {
        return new IllegalStateException("latch '" + name
                + "' is not set: it never was, was deleted, or its life is over; call trySetCount first");
    }

    private IllegalStateException gone(LatchReport report) {
        String what = report.set().isPresent() ? "was set anew" : "was deleted, or its life was over,";
        return new IllegalStateException("latch '" + name + "' " + what
                + " while it was awaited, and had not opened; look at count(), or await it again");
    }

    void end(RuntimeException error) {
        opened.completeExceptionally(error);
    }

    /** Without a first answer nothing can be said. */
    void timeIsUp() {
        timeUp = true;
        if (setting != null) {
            opened.complete(false);
        }
    }

    /** Until when it waits for a store that does not answer: once answered, through an outage. */
    long patience(long outageSince, Rules rules) {
        if (setting == null) {
            return arrived + rules.command();
        }
        return Math.max(outageSince - arrived, 0) + arrived + rules.outage();
    }
}
