package io.holdfast.cli.demo;

import io.holdfast.examples.report.Figures;
import java.util.List;
import java.util.function.ToDoubleFunction;

/** The charts of throughput and latency, with one line for each sale. */
final class Charts {

    /** The width, which is small so that texts are readable on a phone. */
    private static final int WIDTH = 460;

    private static final int LEFT = 92;
    private static final int RIGHT = 380;
    private static final int LINE = 26;

    /** The end of the time axis; the numbers are to the right of it. */
    private static final int LAST_TICK = 282;

    private static final double SHORTEST_MICROS = 100;

    private final List<Row> rows;

    Charts(List<Row> rows) {
        this.rows = rows;
    }

    String throughput() {
        double most = most(Row::perSecond);
        Svg svg = new Svg(WIDTH);
        for (int i = 0; i < rows.size(); i++) {
            Row row = rows.get(i);
            double length = (RIGHT - LEFT) * row.perSecond() / most;
            label(svg, i, row);
            svg.rect(row.exact() ? "good" : "over", LEFT, i * LINE + 6.0, length, LINE - 10.0);
            svg.text("", "start", LEFT + length + 6, i * LINE + 18.0, Figures.number(Math.round(row.perSecond())));
        }
        return svg.toText(rows.size() * LINE + 4, "orders a second");
    }

    /** Draws the times from the median to the 99.9th percentile of the purchases, on a logarithmic scale. */
    String latency() {
        double most = decades(most(row -> (double) row.p999Micros()));
        Svg svg = new Svg(WIDTH);
        int bottom = rows.size() * LINE + 4;
        timeAxis(svg, most, bottom);
        for (int i = 0; i < rows.size(); i++) {
            Row row = rows.get(i);
            double y = i * LINE + 14.0;
            label(svg, i, row);
            double last = x((double) row.p999Micros(), most);
            svg.line("range", x((double) row.p50Micros(), most), y, last, y);
            svg.dot("busy", x((double) row.p50Micros(), most), y, 5)
                    .dot("busy", x((double) row.p99Micros(), most), y, 4)
                    .dot("busy", last, y, 3);
            svg.text("soft", "end", WIDTH, y + 4, figures(row));
        }
        return svg.toText(bottom + 38, "time for a purchase");
    }

    /** Draws a line for each power of ten, and the labels of the axis below the lines. */
    private static void timeAxis(Svg svg, double most, int bottom) {
        for (int decade = 0; decade <= most; decade++) {
            double micros = SHORTEST_MICROS * Math.pow(10, decade);
            svg.line("grid", x(micros, most), 2, x(micros, most), bottom);
            svg.text("soft", "middle", x(micros, most), bottom + 14.0, tick(micros));
        }
        svg.text("soft", "middle", (LEFT + LAST_TICK) / 2.0, bottom + 32.0, "time for a purchase, in ms");
    }

    private static String tick(double micros) {
        return micros < 1_000 ? "0.1" : String.valueOf(Math.round(micros / 1e3));
    }

    private static String figures(Row row) {
        return Figures.millis(row.p50Micros() / 1e3) + " / " + Figures.millis(row.p99Micros() / 1e3) + " / "
                + Figures.millis(row.p999Micros() / 1e3);
    }

    private double most(ToDoubleFunction<Row> figure) {
        return Math.max(10, rows.stream().mapToDouble(figure).max().orElse(10));
    }

    /** Returns the number of powers of ten on the axis. */
    private static double decades(double mostMicros) {
        return Math.max(1, Math.ceil(Math.log10(mostMicros / SHORTEST_MICROS)));
    }

    private static double x(double micros, double most) {
        double decade = Math.log10(Math.max(SHORTEST_MICROS, micros) / SHORTEST_MICROS);
        return LEFT + (LAST_TICK - LEFT) * decade / most;
    }

    private static void label(Svg svg, int line, Row row) {
        svg.text("", "end", LEFT - 10.0, line * LINE + 18.0, row.strategy().label());
    }
}
