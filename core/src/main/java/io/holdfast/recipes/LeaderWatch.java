package io.holdfast.recipes;

import static io.holdfast.spi.Names.quoted;

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
 * A watch, which asks the store repeatedly for the leader.
 *
 * <p>Invariant: at most one request, one notification, or one task of the timer is under way. Each of them starts the next one.
 *
 * <p>The watch has no thread of its own. A thread of the client sends the request, and the user's executor runs the
 * notification.
 */
final class LeaderWatch implements LeaderElection.Watch {

    private final ClientAccess access;
    private final String name;
    private final Duration period;
    private final Consumer<Optional<Holder>> action;
    private final String what;
    private volatile Platform.Task next = () -> {};
    private volatile boolean closed;

    // only one callback at a time accesses these fields
    private boolean hasReported;
    private Optional<Holder> reported = Optional.empty();
    private boolean failing;

    LeaderWatch(ClientAccess access, String name, Duration period, Consumer<Optional<Holder>> action) {
        this.access = access;
        this.name = name;
        this.period = period;
        this.action = action;
        this.what = "the watch of the leader of " + quoted(name);
    }

    LeaderWatch start() {
        inspect();
        return this;
    }

    private void inspect() {
        if (!closed) {
            var unused = access.inspect(name)
                    .whenComplete((report, error) -> access.callBack(what, () -> answered(report, error)));
        }
    }

    private void answered(@Nullable LockReport report, @Nullable Throwable error) {
        try {
            if (report != null) {
                failing = false;
                report(report.holder());
            } else if (error != null && !failing) {
                failing = true;
                access.failed(what, error);
            }
        } finally {
            scheduleInspection();
        }
    }

    private void report(Optional<Holder> leader) {
        if (!closed && (!hasReported || !sameTerm(reported, leader))) {
            hasReported = true;
            reported = leader;
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
        // without a token, a leader of the same client counts as the previous one
        return sameClient && (term.isEmpty() || term.equals(before.get().fencingToken()));
    }

    private void scheduleInspection() {
        if (!closed) {
            next = access.later(period, this::inspect);
            // close race: a concurrent close may have canceled only the previous task
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
