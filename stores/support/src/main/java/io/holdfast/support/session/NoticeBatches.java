package io.holdfast.support.session;

import io.holdfast.spi.Signal;
import io.holdfast.support.record.Notice;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * The messages of a write, in batches that a request can carry. Servers limit the size of a request.
 *
 * <p>The messages to holders that have lost their hold come first, because no poll replaces one. Those for which the write has no
 * room are sent one by one, so that the end of one receiver does not cost another its message. The assignments come next. One for
 * which the write has no room is not sent at all, because its claim window counts from the write: its receiver finds it by its next
 * poll. So does the receiver of any other message that is lost.
 *
 * @param first the messages that the write itself sends
 * @param later the messages that are sent when it was applied
 */
public record NoticeBatches(List<Notice> first, List<List<Notice>> later) {

    private static final int SIZE = 100;
    private static final int REVOKED = 0;
    private static final int ASSIGNED = 1;
    private static final int OTHER = 2;

    /** Returns the batches of a write. */
    public static NoticeBatches of(List<Notice> notices) {
        List<Notice> ordered = notices.stream()
                .sorted(Comparator.comparing(NoticeBatches::rank))
                .toList();
        List<Notice> first = ordered.subList(0, Math.min(ordered.size(), SIZE));
        List<Notice> rest = ordered.subList(first.size(), ordered.size());
        List<List<Notice>> later = new ArrayList<>(rest.stream()
                .filter(notice -> rank(notice) == REVOKED)
                .map(List::of)
                .toList());
        List<Notice> others =
                rest.stream().filter(notice -> rank(notice) == OTHER).toList();
        for (int from = 0; from < others.size(); from += SIZE) {
            later.add(others.subList(from, Math.min(others.size(), from + SIZE)));
        }
        return new NoticeBatches(first, later);
    }

    private static int rank(Notice notice) {
        if (notice.signal() instanceof Signal.Revoked) {
            return REVOKED;
        }
        return notice.signal() instanceof Signal.Assigned ? ASSIGNED : OTHER;
    }
}
