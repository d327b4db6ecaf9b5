package io.holdfast.recipes;

import io.holdfast.AsyncLock;
import io.holdfast.DistributedLock;
import io.holdfast.Lease;
import io.holdfast.LockTimeoutException;
import io.holdfast.internal.access.BatchMember;
import io.holdfast.internal.access.BatchOutcome;
import io.holdfast.internal.access.MemberSpec;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * An acquisition like that of {@link AllOrNothing}, with a future.
 *
 * <p>Invariant: one step at a time is under way, on the thread that completes it, and only that step touches the acquired
 * leases. A caller that completes or cancels the future only cancels the step. The step then finds that the future is done, and
 * releases everything.
 *
 * @param <L> the result of a member's request
 * @param <T> the result of this request
 */
final class MultiRequest<L, T> {

    private final CompletableFuture<T> future = new CompletableFuture<>();
    private final AllOrNothing all;
    private final Timeout timeout;
    private final MemberSpec spec;
    private final BiFunction<AsyncLock<Lease>, Duration, CompletableFuture<L>> ask;
    private final Function<L, Optional<Lease>> lease;
    private final Function<Optional<MultiLease>, T> result;

    private final List<Lease> taken = new ArrayList<>();
    private final AcquirePlan plan;
    private volatile CompletableFuture<?> step = CompletableFuture.completedFuture(null);

    MultiRequest(
            AllOrNothing all,
            Timeout timeout,
            MemberSpec spec,
            BiFunction<AsyncLock<Lease>, Duration, CompletableFuture<L>> ask,
            Function<L, Optional<Lease>> lease,
            Function<Optional<MultiLease>, T> result) {
        this.all = all;
        this.timeout = timeout;
        this.spec = spec;
        this.ask = ask;
        this.lease = lease;
        this.result = result;
        plan = new AcquirePlan(all.members(), timeout, spec);
    }

    CompletableFuture<T> start() {
        var unused = future.whenComplete((value, error) -> step.cancel(false));
        guarded(this::next);
        return future;
    }

    private void next() {
        if (taken.size() == all.members().size()) {
            finish();
        } else if (!future.isDone() && plan.mayAsk()) {
            List<DistributedLock> members = plan.from(taken.size());
            DistributedLock first = members.get(0);
            if (plan.waitsFor(members)) {
                step(ask.apply(first.async(), timeout.left()), this::answered);
            } else if (members.size() == 1) {
                step(
                        spec.tryAcquire(first.async()),
                        (got, error) ->
                                answered(members, got == null ? null : BatchOutcome.alone(got.map(List::of)), error));
            } else {
                step(
                        BatchMember.of(first).askingTogether(BatchMember.all(members), spec),
                        (got, error) -> answered(members, got, error));
            }
        } else {
            end();
        }
    }

    private <R> void step(
            CompletableFuture<R> asked, BiConsumer<? super @Nullable R, ? super @Nullable Throwable> then) {
        step = asked;
        // a caller that ended the future just before was too early to cancel this step
        if (future.isDone()) {
            asked.cancel(false);
        }
        var unused = asked.whenComplete((got, error) -> guarded(() -> then.accept(got, error)));
    }

    private void answered(List<DistributedLock> members, @Nullable BatchOutcome asked, @Nullable Throwable error) {
        if (asked == null) {
            fail(Objects.requireNonNull(error));
        } else if (asked instanceof BatchOutcome.Got got) {
            taken.addAll(got.leases());
            next();
        } else if (plan.goesOn(members, asked)) {
            next();
        } else {
            end();
        }
    }

    private void answered(@Nullable L got, @Nullable Throwable error) {
        Optional<Lease> member = got == null ? Optional.empty() : lease.apply(got);
        if (error != null) {
            fail(error);
        } else if (member.isEmpty()) {
            end();
        } else {
            taken.add(member.get());
            next();
        }
    }

    private void finish() {
        ClientMultiLease whole = ClientMultiLease.of(all.members(), taken);
        if (!whole.isValid()) {
            giveBack(failures -> again());
        } else if (!future.complete(result.apply(Optional.of(whole)))) {
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
        ClientMultiLease part = ClientMultiLease.of(all.members(), taken);
        taken.clear();
        var unused = part.closed().thenAccept(failures -> guarded(() -> then.accept(failures)));
    }

    private void end() {
        int got = taken.size();
        giveBack(failures -> {
            plan.end(got);
            future.complete(result.apply(Optional.empty()));
        });
    }

    private void fail(Throwable error) {
        Throwable shown =
                error instanceof LockTimeoutException late ? MultiTexts.timedOut(all.members(), timeout, late) : error;
        giveBack(failures -> {
            failures.suppressIn(shown);
            future.completeExceptionally(shown);
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
