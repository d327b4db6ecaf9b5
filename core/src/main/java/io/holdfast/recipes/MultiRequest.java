package io.holdfast.recipes;

import io.holdfast.DistributedLock;
import io.holdfast.Lease;
import io.holdfast.LockTimeoutException;
import io.holdfast.internal.access.LeaseAccess;
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
 * <p>Invariants:
 *
 * <ol>
 *   <li>One step at a time is under way. It runs on the thread that completes the previous one, and only it accesses the acquired
 *       leases. A caller that completes or cancels the future only cancels the step. The step then finds that the future is done,
 *       and releases everything.
 *   <li>No step waits for users' code. Only the result is delivered on an executor for callbacks.
 * </ol>
 *
 * @param <T> the result of this request
 */
final class MultiRequest<T> {

    private final List<DistributedLock> members;
    private final Timeout timeout;
    private final Function<Optional<MultiLease>, T> result;
    private final AcquirePlan plan;
    private final MemberClients clients;
    private final List<Lease> leases = new ArrayList<>();
    private final Relay<T> relay = new Relay<>();

    MultiRequest(
            List<DistributedLock> members,
            MemberClients clients,
            MemberSpec spec,
            Timeout timeout,
            Function<Optional<MultiLease>, T> result) {
        this.members = members;
        this.clients = clients;
        this.timeout = timeout;
        this.result = result;
        plan = new AcquirePlan(members, spec, timeout);
    }

    CompletableFuture<T> start() {
        guarded(this::requestNext);
        return relay.future();
    }

    private void requestNext() {
        if (relay.isDone()) {
            refuse();
        } else if (leases.size() == members.size()) {
            complete();
        } else if (plan.mayRequest()) {
            relay.track(plan.next(leases.size()).leaseAsync(), this::answered, this::fail);
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
        if (lease.isValid()) {
            clients.deliver(
                    lease.remainingLease(),
                    Optional.of(() -> release(lease.leases())),
                    inTime -> guarded(() -> delivered(lease, inTime)));
        } else {
            restart();
        }
    }

    private void delivered(ClientMultiLease lease, boolean inTime) {
        if (!inTime || !lease.isValid()) {
            restart();
        } else if (!relay.complete(result.apply(Optional.of(lease)))) {
            refuse();
        }
    }

    /** Starts another attempt when the members are released. Before that, a store may refuse it because of the present hold. */
    private void restart() {
        releaseAll(failures -> guarded(() -> {
            plan.restart();
            requestNext();
        }));
    }

    // ---- the end without a lease

    /** Releases the acquired leases, and then runs the action. */
    private void releaseAll(Consumer<ReleaseFailures> then) {
        List<Lease> acquired = List.copyOf(leases);
        leases.clear();
        var unused = release(acquired).thenAccept(then);
    }

    private static CompletableFuture<ReleaseFailures> release(List<Lease> acquired) {
        return ClientMultiLease.releaseAll(acquired, lease -> ((LeaseAccess) lease).releaseAsync());
    }

    private void refuse() {
        int acquired = leases.size();
        releaseAll(failures -> guarded(() -> {
            plan.finish(acquired);
            callBack(() -> guarded(() -> relay.complete(result.apply(Optional.empty()))));
        }));
    }

    private void fail(Throwable error) {
        Throwable shown =
                error instanceof LockTimeoutException late ? MultiTexts.timedOut(members, timeout, late) : error;
        releaseAll(failures -> {
            failures.suppressIn(shown);
            callBack(() -> relay.fail(shown));
        });
    }

    private void callBack(Runnable answer) {
        clients.callBack("the answer", answer);
    }

    private void guarded(Runnable part) {
        Relay.guarded(part, this::fail);
    }
}
