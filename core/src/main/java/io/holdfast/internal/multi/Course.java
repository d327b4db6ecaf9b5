package io.holdfast.internal.multi;

import io.holdfast.DistributedLock;
import java.util.List;

/**
 * Which members to ask for next: as many neighbours as one request takes, up to one that others were found to have. That one
 * is asked for alone, and waited for. Each such finding shortens the way or passes a member, so it comes to an end.
 */
final class Course {

    private final List<DistributedLock> members;
    private final boolean mayEnd;
    private int held = -1;
    private int alone;

    Course(List<DistributedLock> members, Patience patience, Wish wish) {
        this.members = members;
        mayEnd = wish.tries() && patience.nanos() <= 0;
    }

    /** Those from this index on that are to be asked for together, or one. */
    List<DistributedLock> from(int first) {
        int most = first > held ? members.size() : Math.max(held, first + 1);
        int end = first + 1;
        while (first >= alone && end < most && goTogether(end - 1)) {
            end++;
        }
        return members.subList(first, end);
    }

    private boolean goTogether(int index) {
        return Member.of(members.get(index)).goesWith(Member.of(members.get(index + 1)));
    }

    /** Learns why those were not got; whether there is more to ask. */
    boolean goesOn(List<DistributedLock> asked, Asked why) {
        int first = members.indexOf(asked.get(0));
        if (why instanceof Asked.Held other) {
            held = first + other.index();
            return !mayEnd;
        }
        alone = first + asked.size();
        return true;
    }
}
