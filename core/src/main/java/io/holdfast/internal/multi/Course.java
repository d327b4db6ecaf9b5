package io.holdfast.internal.multi;

import io.holdfast.DistributedLock;
import java.util.List;
import java.util.Optional;

/**
 * Which members to ask for next: as many neighbours as one request takes, up to one that others were found to have. That one
 * is asked for alone, and waited for. Each such finding shortens the way or passes a member, so it comes to an end.
 *
 * <p>The first request is sent in any case, each further one only while there is time: each may last a command timeout.
 */
final class Course {

    /** A server does nothing else while it takes several names, and each release of them is a call of its own. */
    private static final int MOST_TOGETHER = 64;

    private final List<DistributedLock> members;
    private final Patience patience;
    private final Wish wish;
    private boolean asked;
    private int held = -1;
    private int alone;
    private Optional<String> holder = Optional.empty();

    Course(List<DistributedLock> members, Patience patience, Wish wish) {
        this.members = members;
        this.patience = patience;
        this.wish = wish;
    }

    /** Begins with the first member again. */
    void again() {
        held = -1;
        alone = 0;
    }

    boolean mayAsk() {
        return !asked || !patience.isOver();
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
        return Member.of(members.get(index)).goesWith(Member.of(members.get(index + 1)));
    }

    /** Learns why those were not got; whether there is more to ask. */
    boolean goesOn(List<DistributedLock> those, Asked why) {
        int first = members.indexOf(those.get(0));
        if (why instanceof Asked.Held other) {
            held = first + other.index();
            holder = other.holder();
            return !wish.tries() || patience.nanos() > 0;
        }
        alone = first + those.size();
        return true;
    }

    /** The end with so many of them only: throws where that is not an answer. */
    void end(int got) {
        if (!wish.tries()) {
            throw got > held ? Texts.outOfTime() : Texts.outOfTime(members.get(held), holder);
        }
    }
}
