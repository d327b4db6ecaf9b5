package io.holdfast.recipes;

import static io.holdfast.spi.Names.quoted;

import io.holdfast.Lease;
import io.holdfast.LeaseLostException;
import io.holdfast.internal.access.ClientAccess;
import io.holdfast.internal.access.LeaseAccess;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A leadership, which is a lease. */
final class LeaseLeadership extends ForwardingLease implements Leadership {

    private final ClientAccess access;
    private final AtomicBoolean resigning = new AtomicBoolean();
    private final CompletableFuture<End> end = new CompletableFuture<>();

    LeaseLeadership(ClientAccess access, Lease lease) {
        super(lease);
        this.access = access;
        LeaseAccess held = (LeaseAccess) lease;
        held.whenLost(loss -> end.complete(new End.Lost(loss)));
        held.whenClientCloses(() -> end.complete(new End.Resigned()));
    }

    @Override
    public Leadership onLost(Consumer<LeaseLostException> action) {
        lease.onLost(action);
        return this;
    }

    @Override
    public Leadership onEnd(Consumer<End> action) {
        String what = "an action for the end of the leadership of " + quoted(name());
        var unused = end.thenAccept(how -> access.callBackAtEnd(what, () -> action.accept(how)));
        return this;
    }

    @Override
    public void close() {
        if (resigning.compareAndSet(false, true)) {
            try {
                lease.close();
            } catch (RuntimeException | Error e) {
                end.complete(endOf(e));
                throw e;
            }
            end.complete(new End.Resigned());
        } else {
            lease.close();
        }
    }

    @Override
    public CompletableFuture<Void> closeAsync() {
        return resigning.compareAndSet(false, true)
                ? ReleaseFailures.startedAsync(Lease::closeAsync, lease)
                        .whenComplete((nothing, error) -> end.complete(endOf(error)))
                : lease.closeAsync();
    }

    /** Returns how the leadership ended. The error is that of its release, and null if the release succeeded. */
    private static End endOf(@Nullable Throwable error) {
        Throwable cause = error instanceof CompletionException ? error.getCause() : error;
        return cause instanceof LeaseLostException lost ? new End.Lost(lost) : new End.Resigned();
    }

    @Override
    public String toString() {
        return "leadership by " + lease;
    }
}
