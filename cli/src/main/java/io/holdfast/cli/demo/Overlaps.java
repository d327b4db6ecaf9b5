package io.holdfast.cli.demo;

import io.holdfast.examples.flashsale.Visit;
import java.util.ArrayList;
import java.util.List;

/**
 * When more than one seller was between check and write.
 *
 * @param spans in order, without a touch
 */
record Overlaps(List<Span> spans) {

    /** From one moment to another, in milliseconds of the server's clock. */
    record Span(long from, long to) {}

    /** Of visits in the order of their beginnings; one that begins when another ends overlaps nothing. */
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
