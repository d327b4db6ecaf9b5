package io.holdfast.recipes;

import io.holdfast.Lease;
import io.holdfast.LeaseLostException;
import io.holdfast.internal.access.ClientAccess;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A leadership, which is a lease. */
final class LeaseLeadership implements Leadership {

    private final ClientAccess access;
    private final Lease lease;
    private final AtomicBoolean resigning = new AtomicBoolean();
    private final CompletableFuture<End> end = new CompletableFuture<>();

    LeaseLeadership(ClientAccess access, Lease lease) {
        this.access = access;
        this.lease = lease;
        access.whenLost(lease, loss -> end.complete(new End.Lost(loss)));
    }

    @Override
    public String electionName() {
        return lease.lockName();
    }

    @Override
    public long term() {
        return lease.token();
    }

    @Override
    public boolean isLeader() {
        return lease.isValid();
    }

    @Override
    public Duration remaining() {
        return lease.remaining();
    }

    @Override
    public void ensureLeader(Duration atLeast) {
        lease.ensureValid(atLeast);
    }

    @Override
    public Leadership onEnd(Consumer<End> action) {
        String what = "an action for the end of the leadership of '" + electionName() + "'";
        var unused = end.thenAccept(how -> access.callBack(what, () -> action.accept(how)));
        return this;
    }

    @Override
    public void resign() {
        if (resigning.compareAndSet(false, true)) {
            try {
                lease.close();
            } catch (RuntimeException e) {
                end.complete(ending(e));
                throw e;
            }
            end.complete(new End.Resigned());
        }
    }

    @Override
    public CompletableFuture<Void> resignAsync() {
        return resigning.compareAndSet(false, true)
                ? lease.closeAsync().whenComplete((nothing, error) -> end.complete(ending(error)))
                : CompletableFuture.completedFuture(null);
    }

    /** Returns how the leadership ended, from the error of its release; null if the release succeeded. */
    private static End ending(@Nullable Throwable error) {
        Throwable cause = error instanceof CompletionException ? error.getCause() : error;
        return cause instanceof LeaseLostException lost ? new End.Lost(lost) : new End.Resigned();
    }

    @Override
    public String toString() {
        return "leadership by " + lease;
    }
}
