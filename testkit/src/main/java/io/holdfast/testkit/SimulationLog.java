package io.holdfast.testkit;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** The latest events with their times, as far back as the capacity allows. The text is made when it is read. */
final class SimulationLog {

    private static final int CAPACITY = 200_000;
    private static final long SECOND = 1_000_000_000;

    private final ArrayDeque<Line> lines = new ArrayDeque<>();

    private record Line(long at, String who, String what) {

        @Override
        public String toString() {
            return String.format(Locale.ROOT, "%d.%09d %s: %s", at / SECOND, at % SECOND, who, what);
        }
    }

    void add(long at, String who, String what) {
        if (lines.size() == CAPACITY) {
            lines.remove();
        }
        lines.add(new Line(at, who, what));
    }

    List<String> all() {
        return lines.stream().map(Line::toString).toList();
    }

    /** Returns the last lines, one below the other. */
    String tail(int count) {
        List<Line> last = new ArrayList<>(count);
        var newestFirst = lines.descendingIterator();
        while (newestFirst.hasNext() && last.size() < count) {
            last.add(0, newestFirst.next());
        }
        return String.join("\n", last.stream().map(Line::toString).toList());
    }
}
