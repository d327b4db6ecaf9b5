package io.holdfast.recipes;

import io.holdfast.LockReport;
import io.holdfast.LockReport.Holder;
import io.holdfast.internal.access.ClientAccess;
import io.holdfast.spi.Platform;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A watch, which looks repeatedly for the leader. It asks, notifies and waits, one after the other, so there is never more than
 * one of each.
 *
 * <p>It has no thread. A thread of the client sends the question, and the user's executor runs the notification. Between them
 * there is only a request, or a task of the client's timer.
 */
final class LeaderWatch implements LeaderElection.Watch {

    private final ClientAccess access;
    private final String name;
    private final Duration period;
    private final Consumer<Optional<Holder>> action;
    private final String what;
    private volatile Platform.Task next = () -> {};
    private volatile boolean closed;

    // only one callback at a time touches these fields
    private boolean begun;
    private Optional<Holder> told = Optional.empty();
    private boolean failing;

    LeaderWatch(ClientAccess access, String name, Duration period, Consumer<Optional<Holder>> action) {
        this.access = access;
        this.name = name;
        this.period = period;
        this.action = action;
        this.what = "the watch of the leader of '" + name + "'";
    }

    LeaderWatch start() {
        look();
        return this;
    }

    private void look() {
        if (!closed) {
            var unused = access.inspect(name)
                    .whenComplete((report, error) -> access.callBack(what, () -> answered(report, error)));
        }
    }

    private void answered(@Nullable LockReport report, @Nullable Throwable error) {
        try {
            if (report != null) {
                failing = false;
                seen(report.holder());
            } else if (error != null && !failing) {
                failing = true;
                access.failed(what, error);
            }
        } finally {
            lookLater();
        }
    }

    private void seen(Optional<Holder> leader) {
        if (!closed && (!begun || !sameTerm(told, leader))) {
            begun = true;
            told = leader;
            action.accept(leader);
        }
    }

    private static boolean sameTerm(Optional<Holder> before, Optional<Holder> now) {
        if (before.isEmpty() || now.isEmpty()) {
            return before.equals(now);
        }
        OptionalLong term = now.get().fencingToken();
        boolean sameClient =
                before.get().client().id().equals(now.get().client().id());
        // a leader that does not show its term is taken for the previous one
        return sameClient && (term.isEmpty() || term.equals(before.get().fencingToken()));
    }

    private void lookLater() {
        if (!closed) {
            next = access.later(period, this::look);
            // a concurrent close may have run too early to cancel this task
            if (closed) {
                next.cancel();
            }
        }
    }

    @Override
    public void close() {
        closed = true;
        next.cancel();
    }

    @Override
    public String toString() {
        return what + (closed ? ", closed" : ", each " + period);
    }
}
