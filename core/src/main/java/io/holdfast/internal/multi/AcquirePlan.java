package io.holdfast.internal.multi;

import io.holdfast.DistributedLock;
import io.holdfast.internal.access.BatchMember;
import io.holdfast.internal.access.BatchOutcome;
import io.holdfast.internal.access.MemberSpec;
import io.holdfast.internal.access.Timeout;
import java.util.List;
import java.util.Optional;

/**
 * Which members to ask for next: as many neighbours as one request takes, up to one that others were found to have. That one
 * is asked for alone, and waited for. Each such finding shortens the way or passes a member, so it comes to an end.
 *
 * <p>The first request is sent in any case, each further one only while there is time: each may last a command timeout.
 *
 * <p>An attempt is in vain if every member was granted and one of them was not valid at the end. After that each member is
 * first asked for without waiting. So an attempt in vain that met no other owner proves that the answers outlast the lease.
 * Three of those in a row end the acquire.
 */
final class AcquirePlan {

    /** A server does nothing else while it takes several names, and each release of them is a call of its own. */
    private static final int MOST_TOGETHER = 64;

    private static final int MOST_IN_VAIN = 3;

    private final List<DistributedLock> members;
    private final Timeout timeout;
    private final MemberSpec spec;
    private boolean asked;
    private int held = -1;
    private int alone;
    private Optional<String> holder = Optional.empty();

    /** Whether no member is waited for before it was refused. */
    private boolean cautious;

    private boolean refused;
    private int inVain;
    private long began;
    private long took;

    AcquirePlan(List<DistributedLock> members, Timeout timeout, MemberSpec spec) {
        this.members = members;
        this.timeout = timeout;
        this.spec = spec;
        cautious = timeout.nanos() <= 0;
    }

    /** Begins with the first member again, after an attempt in vain; throws if that has not helped. */
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

    /** Those from this index on that are to be asked for together, or one. */
    List<DistributedLock> from(int first) {
        asked = true;
        int most = first > held ? members.size() : Math.max(held, first + 1);
        int end = first + 1;
        while (first >= alone && end < Math.min(most, first + MOST_TOGETHER) && goTogether(end - 1)) {
            end++;
        }
        return members.subList(first, end);
    }

    private boolean goTogether(int index) {
        return BatchMember.of(members.get(index)).goesWith(BatchMember.of(members.get(index + 1)));
    }

    /** Whether those are one member that is asked for with all the time that is left. */
    boolean waitsFor(List<DistributedLock> those) {
        return those.size() == 1 && (!cautious || timeout.nanos() <= 0 || members.indexOf(those.get(0)) == held);
    }

    /** Learns why those were not got; whether there is more to ask. */
    boolean goesOn(List<DistributedLock> those, BatchOutcome why) {
        int first = members.indexOf(those.get(0));
        if (why instanceof BatchOutcome.Held other) {
            held = first + other.index();
            holder = other.holder();
            refused = true;
            return !spec.tries() || timeout.nanos() > 0;
        }
        alone = first + those.size();
        return true;
    }

    /** The end with so many of them only: throws where that is not an answer. */
    void end(int got) {
        if (inVain > 0 && !refused && timeout.isOver()) {
            throw MultiTexts.outlasted(members, took);
        }
        if (!spec.tries()) {
            throw got > held ? MultiTexts.outOfTime() : MultiTexts.outOfTime(members.get(held), holder);
        }
    }
}
