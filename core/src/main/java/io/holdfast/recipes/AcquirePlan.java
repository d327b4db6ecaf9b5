package io.holdfast.recipes;

import io.holdfast.DistributedLock;
import io.holdfast.Lease;
import io.holdfast.internal.access.LockMember;
import io.holdfast.internal.access.MemberSpec;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * The plan of a multi-lock, which decides how to ask for the next member.
 *
 * <p>The members are requested one after the other, in their order. The first request is sent in any case. Each further request
 * is sent only while there is time left. Each may last a command timeout.
 *
 * <p>An attempt fails if every member was granted, but one of them was not valid at the end. After that, the plan first tries
 * each member without waiting. If the next attempt also fails and no other owner refused a member, then it was slow: the
 * answers took longer than the lease. Three slow attempts in a row end the call.
 */
final class AcquirePlan {

    private static final int MAX_SLOW_ATTEMPTS = 3;

    /**
     * A request of the plan.
     *
     * @param maxWait the maximum time to wait for the member
     */
    record Step(LockMember member, MemberSpec spec, Duration maxWait) {

        boolean enter() throws InterruptedException {
            return member.enter(spec, maxWait);
        }

        Optional<Lease> lease() throws InterruptedException {
            return member.lease(spec, maxWait);
        }

        CompletableFuture<Optional<Lease>> leaseAsync() {
            return member.leaseAsync(spec, maxWait);
        }
    }

    private final List<DistributedLock> members;
    private final MemberSpec spec;
    private final Timeout timeout;
    private boolean requested;

    /** The index of the member that was found to be held when it was tried; -1 if there is none. */
    private int heldIndex = -1;

    /** True if each member is tried without waiting before it is waited for. */
    private boolean tryFirst;

    private boolean refused;
    private int slowAttempts;
    private long attemptStart;
    private long attemptMillis;

    AcquirePlan(List<DistributedLock> members, MemberSpec spec, Timeout timeout) {
        this.members = members;
        this.spec = spec;
        this.timeout = timeout;
        tryFirst = timeout.nanos() <= 0;
    }

    /** Starts another attempt after a failed one. Throws if too many attempts in a row were slow. */
    void restart() {
        slowAttempts = tryFirst && !refused ? slowAttempts + 1 : 0;
        attemptMillis = timeout.waitedMillis() - attemptStart;
        attemptStart += attemptMillis;
        if (slowAttempts >= MAX_SLOW_ATTEMPTS) {
            throw MultiTexts.outlasted(members, attemptMillis);
        }
        heldIndex = -1;
        tryFirst = true;
        refused = false;
    }

    boolean mayRequest() {
        return !requested || !timeout.isOver();
    }

    /** Returns the next request, for the member with this index. */
    Step next(int index) {
        requested = true;
        LockMember member = LockMember.of(members.get(index));
        return waitsFor(index)
                ? new Step(member, spec, timeout.left())
                : new Step(member, spec.trying(), Duration.ZERO);
    }

    private boolean waitsFor(int index) {
        return !tryFirst || timeout.nanos() <= 0 || index == heldIndex;
    }

    /** Records that another owner holds the member with this index. Returns {@code true} if the plan has a further request. */
    boolean continuesAfterRefusal(int index) {
        boolean waited = waitsFor(index);
        heldIndex = index;
        refused = true;
        return !waited;
    }

    /**
     * Ends the call without a hold. Throws if the spec needs a reason for a refusal.
     *
     * @param acquired the number of members that were acquired
     */
    void finish(int acquired) {
        if (slowAttempts > 0 && !refused && timeout.isOver()) {
            throw MultiTexts.outlasted(members, attemptMillis);
        }
        if (!spec.tries()) {
            throw acquired == heldIndex ? MultiTexts.outOfTime(members.get(heldIndex)) : MultiTexts.outOfTime();
        }
    }
}
