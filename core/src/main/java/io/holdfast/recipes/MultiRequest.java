package io.holdfast.recipes;

import io.holdfast.DistributedLock;
import io.holdfast.Lease;
import io.holdfast.LockTimeoutException;
import io.holdfast.internal.access.BatchOutcome;
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
 * <p>Invariant: one step at a time is under way, on the thread that completes it, and only that step touches the acquired
 * leases. A caller that completes or cancels the future only cancels the step. The step then finds that the future is done, and
 * releases everything.
 *
 * @param <T> the result of this request
 */
final class MultiRequest<T> {

    private final List<DistributedLock> members;
    private final Timeout timeout;
    private final Function<Optional<MultiLease>, T> result;
    private final AcquirePlan plan;
    private final List<Lease> taken = new ArrayList<>();
    private final Relay<T> relay = new Relay<>();

    MultiRequest(
            List<DistributedLock> members, MemberSpec spec, Timeout timeout, Function<Optional<MultiLease>, T> result) {
        this.members = members;
        this.timeout = timeout;
        this.result = result;
        plan = new AcquirePlan(members, spec, timeout);
    }

    CompletableFuture<T> start() {
        guarded(this::next);
        return relay.future();
    }

    private void next() {
        if (taken.size() == members.size()) {
            finish();
        } else if (!relay.ended() && plan.mayAsk()) {
            AcquirePlan.Step step = plan.next(taken.size());
            relay.pursue(step.asking(), outcome -> guarded(() -> answered(step, outcome)), this::fail);
        } else {
            end();
        }
    }

    private void answered(AcquirePlan.Step step, BatchOutcome outcome) {
        if (outcome instanceof BatchOutcome.Acquired got) {
            taken.addAll(got.leases());
            next();
        } else if (plan.goesOn(step, outcome)) {
            next();
        } else {
            end();
        }
    }

    private void finish() {
        ClientMultiLease whole = ClientMultiLease.of(members, taken);
        if (!whole.isValid()) {
            giveBack(failures -> again());
        } else if (!relay.complete(result.apply(Optional.of(whole)))) {
            end();
        }
    }

    private void again() {
        plan.again();
        next();
    }

    // ---- the end without a lease

    /** Releases the acquired leases, and continues when that is done. */
    private void giveBack(Consumer<ReleaseFailures> then) {
        ClientMultiLease part = ClientMultiLease.of(members, taken);
        taken.clear();
        var unused = part.closed().thenAccept(failures -> guarded(() -> then.accept(failures)));
    }

    private void end() {
        int got = taken.size();
        giveBack(failures -> {
            plan.end(got);
            relay.complete(result.apply(Optional.empty()));
        });
    }

    private void fail(Throwable error) {
        Throwable shown =
                error instanceof LockTimeoutException late ? MultiTexts.timedOut(members, timeout, late) : error;
        giveBack(failures -> {
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
