package io.holdfast.recipes;

import io.holdfast.DistributedLock;
import io.holdfast.Lease;
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
 *   <li>All processes acquire members in the same order. A caller that waits for a member holds only members before it. So no
 *       cycle of waiting callers can form, and there is no deadlock.
 *   <li>When the wait is over, or anything is thrown, every acquired member is released.
 *   <li>The hold begins only if all members were valid at one moment after the last one was acquired.
 * </ol>
 *
 * <p>All members share one time limit. Each request waits for the time that is left.
 *
 * <p>A member whose release throws an exception is no longer held. Either it was lost, and its client has reported the loss, or
 * its client is closed. So such an exception is only added to an error that is thrown anyway.
 *
 * <p>An early member may be lost while the caller waits for a later one. So all members are checked when the last one is
 * acquired. If one is not valid, all members are released and acquired again.
 *
 * <p>See J. W. Havender, "Avoiding deadlock in multitasking systems", IBM Systems Journal 7(2), 1968, for acquisition in a
 * fixed order.
 */
final class AllOrNothing {

    private final List<DistributedLock> members;
    private final MemberSpec spec;
    private final AcquirePlan plan;
    private int acquired;

    /** The leases of the acquired members; none if the current thread holds the members. */
    private final List<Lease> leases = new ArrayList<>();

    AllOrNothing(List<DistributedLock> members, MemberSpec spec, Timeout timeout) {
        this.members = members;
        this.spec = spec;
        plan = new AcquirePlan(members, spec, timeout);
    }

    /**
     * Acquires all members, and returns their leases, or an empty list if the current thread holds them. The result is empty if
     * none is acquired.
     */
    Optional<List<Lease>> run() throws InterruptedException {
        while (acquireInOrder()) {
            if (isValid()) {
                return Optional.of(leases);
            }
            releaseAll().rethrowError();
            plan.restart();
        }
        int count = acquired;
        releaseAll().rethrowError();
        plan.finish(count);
        return Optional.empty();
    }

    private boolean acquireInOrder() throws InterruptedException {
        try {
            boolean continues = true;
            while (continues && acquired < members.size()) {
                continues = plan.mayRequest() && acquireNext();
            }
            return continues;
        } catch (Throwable e) {
            releaseAll().suppressIn(e);
            throw e;
        }
    }

    private boolean acquireNext() throws InterruptedException {
        AcquirePlan.Step step = plan.next(acquired);
        if (spec.leased() ? lease(step) : step.enter()) {
            acquired++;
            return true;
        }
        return plan.continuesAfterRefusal(acquired);
    }

    private boolean lease(AcquirePlan.Step step) throws InterruptedException {
        Optional<Lease> lease = step.lease();
        lease.ifPresent(leases::add);
        return lease.isPresent();
    }

    private boolean isValid() {
        return spec.leased()
                ? leases.stream().allMatch(Lease::isValid)
                : members.stream().allMatch(DistributedLock::isValid);
    }

    private ReleaseFailures releaseAll() {
        ReleaseFailures failures = spec.leased()
                ? ReleaseFailures.ofLeases(leases)
                : ReleaseFailures.ofMembers(members.subList(0, acquired));
        leases.clear();
        acquired = 0;
        return failures;
    }
}
