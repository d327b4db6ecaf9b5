package io.holdfast.recipes;

import io.holdfast.DistributedLock;
import io.holdfast.Lease;
import io.holdfast.LockTimeoutException;
import io.holdfast.internal.access.MemberSpec;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * An acquisition like that of {@link AllOrNothing}, with a future.
 *
 * <p>Invariant: one step at a time is under way. It runs on the thread that completes the previous one, and only it accesses
 * the acquired leases. A caller that completes or cancels the future only cancels the step. The step then finds that the future
 * is done, and releases everything.
 *
 * @param <T> the result of this request
 */
final class MultiRequest<T> {

    private final List<DistributedLock> members;
    private final Timeout timeout;
    private final Function<Optional<MultiLease>, T> result;
    private final AcquirePlan plan;
    private final List<Lease> leases = new ArrayList<>();
    private final Relay<T> relay = new Relay<>();

    MultiRequest(
            List<DistributedLock> members, MemberSpec spec, Timeout timeout, Function<Optional<MultiLease>, T> result) {
        this.members = members;
        this.timeout = timeout;
        this.result = result;
        plan = new AcquirePlan(members, spec, timeout);
    }

    CompletableFuture<T> start() {
        guarded(this::requestNext);
        return relay.future();
    }

    private void requestNext() {
        if (leases.size() == members.size()) {
            complete();
        } else if (!relay.isDone() && plan.mayRequest()) {
            relay.track(plan.next(leases.size()).leaseAsync(), lease -> guarded(() -> answered(lease)), this::fail);
        } else {
            refuse();
        }
    }

    private void answered(Optional<Lease> lease) {
        lease.ifPresent(leases::add);
        if (lease.isPresent() || plan.continuesAfterRefusal(leases.size())) {
            requestNext();
        } else {
            refuse();
        }
    }

    private void complete() {
        ClientMultiLease lease = ClientMultiLease.of(members, leases);
        if (!lease.isValid()) {
            releaseAll(failures -> restart());
        } else if (!relay.complete(result.apply(Optional.of(lease)))) {
            refuse();
        }
    }

    private void restart() {
        plan.restart();
        requestNext();
    }

    // ---- the end without a lease

    /** Releases the acquired leases, and then runs the action. */
    private void releaseAll(Consumer<ReleaseFailures> then) {
        ClientMultiLease part = ClientMultiLease.of(members, leases);
        leases.clear();
        var unused = part.releaseAll().thenAccept(failures -> guarded(() -> then.accept(failures)));
    }

    private void refuse() {
        int acquired = leases.size();
        releaseAll(failures -> {
            plan.finish(acquired);
            relay.complete(result.apply(Optional.empty()));
        });
    }

    private void fail(Throwable error) {
        Throwable shown =
                error instanceof LockTimeoutException late ? MultiTexts.timedOut(members, timeout, late) : error;
        releaseAll(failures -> {
            failures.suppressIn(shown);
            relay.fail(shown);
        });
    }

    private void guarded(Runnable part) {
        try {
            part.run();
        } catch (RuntimeException e) {
            fail(e);
        }
    }
}
