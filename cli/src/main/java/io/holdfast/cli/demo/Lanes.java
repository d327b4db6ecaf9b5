package io.holdfast.cli.demo;

import io.holdfast.cli.demo.Overlaps.Span;
import io.holdfast.examples.flashsale.Accident;
import io.holdfast.examples.flashsale.Timeline;
import io.holdfast.examples.flashsale.Timeline.Mishap;
import io.holdfast.examples.flashsale.Visit;
import java.util.BitSet;
import java.util.List;
import java.util.Locale;

/**
 * A drawing of a part of a sale. It has a lane for each process, with one row in total or a row for each seller. A row is
 * filled while its seller is between check and write.
 */
final class Lanes {

    private static final int WIDTH = 1_000;
    private static final int LEFT = 80;
    private static final int TOP = 18;
    private static final int LANE = 26;
    private static final int GAP = 6;
    private static final int TICKS = 5;

    /** The width of a word on its own background. */
    private static final int TAG = 42;

    /** The size of the text above which the drawing uses coarser columns, so that a report stays small. */
    private static final int LARGEST = 36_000;

    private static final int COARSEST = 50;

    private final Timeline timeline;
    private final List<Span> overlaps;
    private final int processes;
    private final int rows;
    private final Span window;
    private final long zero;

    /**
     * Creates a drawing.
     *
     * @param overlaps the spans to mark as wrong
     * @param zero the moment from which the shown times are counted
     */
    Lanes(Timeline timeline, List<Span> overlaps, int processes, int rows, Span window, long zero) {
        this.timeline = timeline;
        this.overlaps = overlaps;
        this.processes = processes;
        this.rows = rows;
        this.window = window;
        this.zero = zero;
    }

    String draw() {
        int columns = WIDTH - LEFT;
        Svg svg = draw(columns);
        while (svg.size() > LARGEST && columns > COARSEST) {
            columns /= 2;
            svg = draw(columns);
        }
        return svg.toText(bottom() + 20, "sellers between check and write");
    }

    private Svg draw(int columns) {
        Svg svg = new Svg(WIDTH);
        axis(svg);
        Columns[] cells = new Columns[processes * rows];
        for (int i = 0; i < cells.length; i++) {
            cells[i] = new Columns(columns);
        }
        timeline.visits().forEach(visit -> fill(cells[row(visit)], visit));
        for (int i = 0; i < cells.length; i++) {
            double y = top(i / rows) + (double) LANE / rows * (i % rows);
            svg.path("busy", cells[i].path(cells[i].busy, y)).path("over", cells[i].path(cells[i].wrong, y));
        }
        timeline.mishaps().forEach(mishap -> mark(svg, mishap));
        return svg;
    }

    private void axis(Svg svg) {
        for (int process = 0; process < processes; process++) {
            svg.rect("bed", LEFT, top(process), WIDTH - LEFT, LANE);
            svg.text("soft", "end", LEFT - 8.0, top(process) + 17.0, "process " + process);
        }
        for (int i = 0; i <= TICKS; i++) {
            long at = window.from() + (window.to() - window.from()) * i / TICKS;
            String anchor = i == 0 ? "start" : i == TICKS ? "end" : "middle";
            svg.line("grid", x(at), TOP - 2.0, x(at), bottom());
            svg.text("soft", anchor, x(at), bottom() + 14.0, seconds(at));
        }
    }

    private String seconds(long at) {
        boolean isShort = window.to() - window.from() < 2_000;
        return String.format(Locale.ROOT, isShort ? "%.3f s" : "%.1f s", (at - zero) / 1e3);
    }

    private int row(Visit visit) {
        return visit.seller().process() * rows + visit.seller().thread() % rows;
    }

    private void fill(Columns cells, Visit visit) {
        cells.fill(cells.busy, visit.begin(), visit.end());
        for (int i = firstOverlap(visit.begin()); i < overlaps.size(); i++) {
            Span overlap = overlaps.get(i);
            if (overlap.from() >= visit.end()) {
                return;
            }
            cells.fill(cells.wrong, Math.max(overlap.from(), visit.begin()), Math.min(overlap.to(), visit.end()));
        }
    }

    /** Returns the index of the first overlap that ends after that moment. */
    private int firstOverlap(long moment) {
        int low = 0;
        int high = overlaps.size();
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (overlaps.get(middle).to() <= moment) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    private void mark(Svg svg, Mishap mishap) {
        Visit visit = mishap.visit();
        double y = top(visit.seller().process());
        if (mishap.accident() == Accident.HALT && isShown(mishap.at())) {
            svg.line("kill", x(mishap.at()), y - 4, x(mishap.at()), y + LANE + 4);
            boolean last = x(mishap.at()) > WIDTH - LEFT;
            tag(svg, last ? x(mishap.at()) - TAG - 3 : x(mishap.at()) + 3, y, "killed");
        } else if (mishap.accident() == Accident.SLOW && visit.begin() < window.to() && visit.end() > window.from()) {
            double from = x(Math.max(visit.begin(), window.from()));
            double to = x(Math.min(visit.end(), window.to()));
            svg.rect("slow", from, y, Math.max(1, to - from), LANE);
            tag(svg, Math.max(to - TAG - 3, LEFT), y, "slow");
        }
    }

    /** Draws a word on a background of its own, because the drawing under it may have any color. */
    private static void tag(Svg svg, double x, double y, String word) {
        svg.rect("tag", x, y + 5, TAG, 16);
        svg.text("", "middle", x + TAG / 2.0, y + 17, word);
    }

    private boolean isShown(long at) {
        return at >= window.from() && at <= window.to();
    }

    private double x(long at) {
        return LEFT + (double) (WIDTH - LEFT) * (at - window.from()) / (window.to() - window.from());
    }

    private static int top(int process) {
        return TOP + process * (LANE + GAP);
    }

    private int bottom() {
        return top(processes);
    }

    /**
     * The columns of one row, so that the size of the drawing depends on the number of columns, and not on the number of
     * visits.
     */
    private final class Columns {

        private final int count;
        private final BitSet busy = new BitSet();
        private final BitSet wrong = new BitSet();

        Columns(int count) {
            this.count = count;
        }

        void fill(BitSet set, long from, long to) {
            if (from <= window.to() && to >= window.from()) {
                int first = column(Math.max(from, window.from()));
                set.set(first, Math.max(first + 1, column(Math.min(to, window.to()))));
            }
        }

        private int column(long at) {
            return (int) Math.min(count - 1L, (at - window.from()) * count / (window.to() - window.from()));
        }

        String path(BitSet set, double y) {
            StringBuilder path = new StringBuilder();
            double height = (double) LANE / rows;
            double width = (double) (WIDTH - LEFT) / count;
            for (int from = set.nextSetBit(0); from >= 0; ) {
                int to = set.nextClearBit(from);
                path.append('M')
                        .append(Svg.shown(LEFT + from * width))
                        .append(' ')
                        .append(Svg.shown(y));
                path.append('h')
                        .append(Svg.shown((to - from) * width))
                        .append('v')
                        .append(Svg.shown(height));
                path.append('h').append(Svg.shown((from - to) * width)).append('z');
                from = set.nextSetBit(to);
            }
            return path.toString();
        }
    }
}
