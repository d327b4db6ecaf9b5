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
 * <p>One request asks for as many neighbors as it can take, up to a member that was found to be held by others. That member is
 * then asked for alone, and waited for. Each such result shortens the next request or passes a member, so the plan terminates.
 *
 * <p>The first request is sent in any case. Each further request is sent only while there is time left. Each may last a command
 * timeout.
 *
 * <p>An attempt fails if every member was granted, but one of them was not valid at the end. After that, each member is first
 * asked for without waiting. So a failed attempt that met no other owner proves that the answers take longer than the lease.
 * Three of those in a row end the call.
 */
final class AcquirePlan {

    /** The limit of one request. A server is blocked while it acquires several names, and each release is a separate call. */
    private static final int MOST_TOGETHER = 64;

    private static final int MOST_IN_VAIN = 3;

    /**
     * A request of the plan.
     *
     * @param first the index of the first requested member
     * @param patience the time to wait for a single member; empty if the request is not to wait
     */
    record Step(int first, List<BatchMember> members, MemberSpec spec, Optional<Duration> patience) {

        BatchOutcome ask() throws InterruptedException {
            return members.get(0).acquireAll(members, spec, patience.orElse(Duration.ZERO));
        }

        CompletableFuture<BatchOutcome> asking() {
            return members.get(0).acquireAllAsync(members, spec, patience.orElse(Duration.ZERO));
        }
    }

    private final List<DistributedLock> members;
    private final MemberSpec spec;
    private final Timeout timeout;
    private boolean asked;
    private int held = -1;
    private int alone;
    private Optional<String> holder = Optional.empty();

    /** True if no member is waited for before it was refused. */
    private boolean cautious;

    private boolean refused;
    private int inVain;
    private long began;
    private long took;

    AcquirePlan(List<DistributedLock> members, MemberSpec spec, Timeout timeout) {
        this.members = members;
        this.spec = spec;
        this.timeout = timeout;
        cautious = timeout.nanos() <= 0;
    }

    /** Begins again with the first member after a failed attempt. Throws if further attempts have not helped. */
    void again() {
        inVain = cautious && !refused ? inVain + 1 : 0;
        took = timeout.waitedMillis() - began;
        began += took;
        if (inVain >= MOST_IN_VAIN) {
            throw MultiTexts.outlasted(members, took);
        }
        held = -1;
        alone = 0;
        cautious = true;
        refused = false;
    }

    boolean mayAsk() {
        return !asked || !timeout.isOver();
    }

    /** Returns the next request, for the members from this index on. */
    Step next(int first) {
        asked = true;
        List<BatchMember> next = BatchMember.all(members.subList(first, endOf(first)));
        boolean waits = next.size() == 1 && (!cautious || timeout.nanos() <= 0 || first == held);
        return waits
                ? new Step(first, next, spec, Optional.of(timeout.left()))
                : new Step(first, next, spec.trying(), Optional.empty());
    }

    private int endOf(int first) {
        int most = first > held ? members.size() : Math.max(held, first + 1);
        int end = first + 1;
        while (first >= alone && end < Math.min(most, first + MOST_TOGETHER) && goTogether(end - 1)) {
            end++;
        }
        return end;
    }

    private boolean goTogether(int index) {
        return BatchMember.of(members.get(index)).canBatchWith(BatchMember.of(members.get(index + 1)));
    }

    /** Records why the members of a step were not acquired. Returns {@code true} if there is more to ask for. */
    boolean goesOn(Step step, BatchOutcome why) {
        if (step.patience().isPresent()) {
            return false;
        }
        if (why instanceof BatchOutcome.Held other) {
            held = step.first() + other.index();
            holder = other.holder();
            refused = true;
            return !spec.tries() || timeout.nanos() > 0;
        }
        alone = step.first() + step.members().size();
        return true;
    }

    /** Ends the call with only so many members acquired. Throws if an empty result is not an answer. */
    void end(int got) {
        if (inVain > 0 && !refused && timeout.isOver()) {
            throw MultiTexts.outlasted(members, took);
        }
        if (!spec.tries()) {
            throw got > held ? MultiTexts.outOfTime() : MultiTexts.outOfTime(members.get(held), holder);
        }
    }
}
