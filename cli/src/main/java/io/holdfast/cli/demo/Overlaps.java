package io.holdfast.cli.demo;

import io.holdfast.examples.flashsale.Visit;
import java.util.ArrayList;
import java.util.List;

/**
 * The times during which more than one seller was between check and write.
 *
 * @param spans the spans in ascending order, which do not touch each other
 */
record Overlaps(List<Span> spans) {

    /** A span of time, in milliseconds of the server's clock. */
    record Span(long from, long to) {}

    /**
     * Returns the overlaps of visits, which are sorted by their beginnings. A visit that begins at the end of another one does
     * not overlap it.
     */
    static Overlaps of(List<Visit> visits) {
        List<Span> spans = new ArrayList<>();
        long busyUntil = Long.MIN_VALUE;
        for (Visit visit : visits) {
            long until = Math.min(busyUntil, visit.end());
            if (visit.begin() < until) {
                add(spans, new Span(visit.begin(), until));
            }
            busyUntil = Math.max(busyUntil, visit.end());
        }
        return new Overlaps(List.copyOf(spans));
    }

    private static void add(List<Span> spans, Span next) {
        Span last = spans.isEmpty() ? next : spans.get(spans.size() - 1);
        if (spans.isEmpty() || last.to() < next.from()) {
            spans.add(next);
        } else {
            spans.set(spans.size() - 1, new Span(last.from(), Math.max(last.to(), next.to())));
        }
    }

    long millis() {
        return spans.stream().mapToLong(span -> span.to() - span.from()).sum();
    }
}
