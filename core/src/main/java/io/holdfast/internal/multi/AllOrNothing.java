package io.holdfast.internal.multi;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.holdfast.DistributedLock;
import io.holdfast.Lease;
import io.holdfast.internal.access.BatchMember;
import io.holdfast.internal.access.BatchOutcome;
import io.holdfast.internal.access.MemberSpec;
import io.holdfast.internal.access.Timeout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;

/**
 * Takes all members or none.
 *
 * <p>One after the other, in an order that all processes agree on: whoever waits for a member holds only members before it,
 * so no circle of waiting can close. Each member is asked with what is left of one wait. What was taken is given back, last
 * first, when the wait is over and when anything is thrown. A member that throws when it is given back is not held any more,
 * as it should be: it was lost, which its client has told, or that client is closed. So only an error that is on its way
 * anyway carries it along.
 *
 * <p>A member that was got early may be lost while a later one is waited for, and nobody has looked at it since. So all are
 * looked at when the last was got; if one is not valid the hold is none, and all is done again.
 *
 * <p>Neighbours that are kept in one place are asked for by one request, which waits for nobody. If others have one, nothing
 * of it is kept, and the order is as above: those before that one, again together, and then that one, which is waited for.
 */
record AllOrNothing(List<DistributedLock> members) {

    /** One member as its owner has it. */
    interface Part {

        boolean isValid();

        void release();
    }

    /** Takes one member within the time that is left; empty if it was held by others for so long. */
    @FunctionalInterface
    interface Take<P extends Part, X extends Exception> {

        Optional<P> take(DistributedLock member, Duration left) throws X;
    }

    /** What became of members that were taken together; there are no leases if a thread has them. */
    @FunctionalInterface
    interface Parts<P extends Part> {

        List<P> of(List<DistributedLock> members, List<Lease> leases);
    }

    /** How members are taken: as what together, and one by one. */
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
