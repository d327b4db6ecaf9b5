package io.holdfast.recipes;

import io.holdfast.DistributedLock;
import io.holdfast.internal.access.BatchMember;
import io.holdfast.internal.access.BatchOutcome;
import io.holdfast.internal.access.MemberSpec;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * The plan of a multi-lock, which decides which members to ask for next.
 *
 * <p>One request asks for as many neighbors as possible, up to a member that another owner was found to hold. The plan then
 * requests that member alone, and waits for it. Each such result shortens the next request or acquires a member, so an attempt
 * terminates.
 *
 * <p>The first request is sent in any case. Each further request is sent only while there is time left. Each may last a command
 * timeout.
 *
 * <p>An attempt fails if every member was granted, but one of them was not valid at the end. After that, the plan first tries
 * each member without waiting. If the next attempt also fails and no other owner refused a member, then it was slow: the
 * answers took longer than the lease. Three slow attempts in a row end the call.
 */
final class AcquirePlan {

    /** The maximum size of one request, because a server is blocked while it acquires several names. */
    private static final int MAX_BATCH = 64;

    private static final int MAX_SLOW_ATTEMPTS = 3;

    /**
     * A request of the plan.
     *
     * @param first the index of the first requested member
     * @param maxWait the time to wait for a single member; empty if the request is not to wait
     */
    record Step(int first, List<BatchMember> members, MemberSpec spec, Optional<Duration> maxWait) {

        BatchOutcome request() throws InterruptedException {
            return members.get(0).acquireAll(members, spec, maxWait.orElse(Duration.ZERO));
        }

        CompletableFuture<BatchOutcome> requestAsync() {
            return members.get(0).acquireAllAsync(members, spec, maxWait.orElse(Duration.ZERO));
        }
    }

    private final List<DistributedLock> members;
    private final MemberSpec spec;
    private final Timeout timeout;
    private boolean requested;

    /** The index of the member that another owner was found to hold; -1 if there is none. */
    private int heldIndex = -1;

    /** Members before this index are requested one by one, because a request for several of them had an unclear result. */
    private int singleUntil;

    private Optional<String> holder = Optional.empty();

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
        singleUntil = 0;
        tryFirst = true;
        refused = false;
    }

    boolean mayRequest() {
        return !requested || !timeout.isOver();
    }

    /** Returns the next request, for the members from this index on. */
    Step next(int first) {
        requested = true;
        List<BatchMember> next = BatchMember.all(members.subList(first, endOf(first)));
        boolean waits = next.size() == 1 && (!tryFirst || timeout.nanos() <= 0 || first == heldIndex);
        return waits
                ? new Step(first, next, spec, Optional.of(timeout.left()))
                : new Step(first, next, spec.trying(), Optional.empty());
    }

    private int endOf(int first) {
        int limit = first > heldIndex ? members.size() : Math.max(heldIndex, first + 1);
        int end = first + 1;
        while (first >= singleUntil && end < Math.min(limit, first + MAX_BATCH) && canBatch(end - 1)) {
            end++;
        }
        return end;
    }

    private boolean canBatch(int index) {
        return BatchMember.of(members.get(index)).canBatchWith(BatchMember.of(members.get(index + 1)));
    }

    /** Records why the members of a step were not acquired. Returns {@code true} if the plan has a further request. */
    boolean continuesAfter(Step step, BatchOutcome outcome) {
        if (step.maxWait().isPresent()) {
            return false;
        }
        if (outcome instanceof BatchOutcome.Held refusal) {
            heldIndex = step.first() + refusal.index();
            holder = refusal.holder();
            refused = true;
            return !spec.tries() || timeout.nanos() > 0;
        }
        singleUntil = step.first() + step.members().size();
        return true;
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
            throw acquired > heldIndex ? MultiTexts.outOfTime() : MultiTexts.outOfTime(members.get(heldIndex), holder);
        }
    }
}
