package io.holdfast.support.session;

import io.holdfast.spi.Signal;
import io.holdfast.support.record.Notice;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * The messages of a write, in batches that a request can carry. Servers limit the size of a request.
 *
 * <p>Assignments come first. One for which the write has no room is not sent at all, because its claim window counts from the write:
 * its receiver finds it by its next poll. So does the receiver of any message that is lost.
 *
 * @param first the messages that the write itself sends
 * @param later the messages that are sent when it was applied
 */
public record NoticeBatches(List<Notice> first, List<List<Notice>> later) {

    private static final int SIZE = 100;

    /** Returns the batches of a write. */
    public static NoticeBatches of(List<Notice> notices) {
        List<Notice> ordered = notices.stream()
                .sorted(Comparator.comparing(notice -> !isAssignment(notice)))
                .toList();
        List<Notice> first = ordered.subList(0, Math.min(ordered.size(), SIZE));
        List<Notice> others = ordered.stream()
                .skip(first.size())
                .filter(notice -> !isAssignment(notice))
                .toList();
        List<List<Notice>> later = new ArrayList<>();
        for (int from = 0; from < others.size(); from += SIZE) {
            later.add(others.subList(from, Math.min(others.size(), from + SIZE)));
        }
        return new NoticeBatches(first, later);
    }

    private static boolean isAssignment(Notice notice) {
        return notice.signal() instanceof Signal.Assigned;
    }
}
