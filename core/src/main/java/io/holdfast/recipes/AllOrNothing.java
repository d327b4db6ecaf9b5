package io.holdfast.recipes;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.holdfast.DistributedLock;
import io.holdfast.Lease;
import io.holdfast.internal.access.BatchMember;
import io.holdfast.internal.access.BatchOutcome;
import io.holdfast.internal.access.MemberSpec;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
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
record AllOrNothing(List<DistributedLock> members) {

    /** One acquired member, in the form that its owner holds. */
    interface Part {

        boolean isValid();

        void release();
    }

    /** Acquires one member within the time that is left. The result is empty if others held the member for that long. */
    @FunctionalInterface
    interface Take<P extends Part, X extends Exception> {

        Optional<P> take(DistributedLock member, Duration left) throws X;
    }

    /** Creates the parts of members that were acquired together. There are no leases if the current thread holds them. */
    @FunctionalInterface
    interface Parts<P extends Part> {

        List<P> of(List<DistributedLock> members, List<Lease> leases);
    }

    /** The ways to acquire members: the spec and the parts of a batch, and the acquisition of a single member. */
    record Steps<P extends Part, X extends Exception>(MemberSpec spec, Parts<P> together, Take<P, X> one) {}

    <P extends Part, X extends Exception> Optional<List<P>> take(Timeout timeout, Steps<P, X> steps) throws X {
        AcquirePlan plan = new AcquirePlan(members, timeout, steps.spec());
        while (true) {
            List<P> taken = new ArrayList<>();
            if (!takeInOrder(plan, timeout, steps, taken)) {
                giveBack(taken);
                plan.end(taken.size());
                return Optional.empty();
            }
            if (taken.stream().allMatch(Part::isValid)) {
                return Optional.of(taken);
            }
            giveBack(taken);
            plan.again();
        }
    }

    private <P extends Part, X extends Exception> boolean takeInOrder(
            AcquirePlan plan, Timeout timeout, Steps<P, X> steps, List<P> taken) throws X {
        try {
            boolean goesOn = true;
            while (goesOn && taken.size() < members.size()) {
                goesOn = plan.mayAsk() && takeNext(plan, timeout, steps, taken);
            }
            return goesOn;
        } catch (Throwable e) {
            giveBack(taken).suppressIn(e);
            throw e;
        }
    }

    private static <P extends Part, X extends Exception> boolean takeNext(
            AcquirePlan plan, Timeout timeout, Steps<P, X> steps, List<P> taken) throws X {
        List<DistributedLock> next = plan.from(taken.size());
        if (plan.waitsFor(next)) {
            Optional<P> part = steps.one().take(next.get(0), timeout.left());
            part.ifPresent(taken::add);
            return part.isPresent();
        }
        BatchOutcome asked = BatchMember.of(next.get(0)).askTogether(BatchMember.all(next), steps.spec());
        if (asked instanceof BatchOutcome.Got got) {
            taken.addAll(steps.together().of(next, got.leases()));
            return true;
        }
        return plan.goesOn(next, asked);
    }

    @CanIgnoreReturnValue
    private static ReleaseFailures giveBack(List<? extends Part> taken) {
        ReleaseFailures failures = new ReleaseFailures();
        Collections.reverse(taken);
        taken.forEach(part -> failures.run(part::release));
        return failures;
    }
}
