package io.holdfast.recipes;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.holdfast.DistributedLock;
import io.holdfast.Lease;
import io.holdfast.internal.access.BatchOutcome;
import io.holdfast.internal.access.MemberSpec;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The algorithm that acquires all members or none.
 *
 * <p>Invariants:
 *
 * <ol>
 *   <li>Members are acquired in an order that all processes agree on. A caller that waits for a member holds only members
 *       before it. So no cycle of waiting callers can form, and there is no deadlock.
 *   <li>When the wait is over, or anything is thrown, every acquired member is released, the last one first.
 *   <li>The hold begins only if all members were valid at one moment after the last one was acquired.
 * </ol>
 *
 * <p>There is one wait for all members, and each member is asked for with the rest of it. A member whose release throws is not
 * held any more, which is what a release is for: either it was lost, and its client has reported that, or its client is closed.
 * So such an exception is only added to an error that is thrown anyway.
 *
 * <p>A member that was acquired early may be lost while a later one is waited for, and nothing has checked it since. So all
 * members are checked when the last one is acquired. If one is not valid, all members are released and acquired again.
 *
 * <p>Neighbors in one store are asked for by one request, which waits for no owner. If others hold one of them, the request
 * acquires none. Then the order above applies. The members before that one are asked for again, together. Then that one is
 * asked for, and waited for.
 *
 * <p>See J. W. Havender, "Avoiding deadlock in multitasking systems", IBM Systems Journal 7(2), 1968, for acquisition in a
 * fixed order.
 */
final class AllOrNothing {

    private final List<DistributedLock> members;
    private final MemberSpec spec;
    private final AcquirePlan plan;
    private int taken;

    /** The leases of the acquired members; none if the current thread holds the members. */
    private final List<Lease> leases = new ArrayList<>();

    AllOrNothing(List<DistributedLock> members, MemberSpec spec, Timeout timeout) {
        this.members = members;
        this.spec = spec;
        plan = new AcquirePlan(members, spec, timeout);
    }

    /** Acquires all members, and returns their leases. The result is empty if none is acquired. */
    Optional<List<Lease>> take() throws InterruptedException {
        while (takeInOrder()) {
            if (isValid()) {
                return Optional.of(leases);
            }
            giveBack();
            plan.again();
        }
        int got = taken;
        giveBack();
        plan.end(got);
        return Optional.empty();
    }

    private boolean takeInOrder() throws InterruptedException {
        try {
            boolean goesOn = true;
            while (goesOn && taken < members.size()) {
                goesOn = plan.mayAsk() && takeNext();
            }
            return goesOn;
        } catch (Throwable e) {
            giveBack().suppressIn(e);
            throw e;
        }
    }

    private boolean takeNext() throws InterruptedException {
        AcquirePlan.Step step = plan.next(taken);
        BatchOutcome outcome = step.ask();
        if (outcome instanceof BatchOutcome.Acquired got) {
            leases.addAll(got.leases());
            taken += step.members().size();
            return true;
        }
        return plan.goesOn(step, outcome);
    }

    private boolean isValid() {
        return spec.leased()
                ? leases.stream().allMatch(Lease::isValid)
                : members.stream().allMatch(DistributedLock::isValid);
    }

    @CanIgnoreReturnValue
    private ReleaseFailures giveBack() {
        ReleaseFailures failures = new ReleaseFailures();
        while (taken > 0) {
            taken--;
            failures.run(spec.leased() ? leases.remove(taken)::close : members.get(taken)::unlock);
        }
        return failures;
    }
}
