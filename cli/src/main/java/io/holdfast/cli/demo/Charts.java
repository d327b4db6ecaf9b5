package io.holdfast.cli.demo;

import java.util.List;
import java.util.function.ToDoubleFunction;

/** Throughput and latency of all sales, a line each. */
final class Charts {

    private static final int WIDTH = 1_000;
    private static final int LEFT = 110;
    private static final int RIGHT = 900;
    private static final int LINE = 26;

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
            svg.text("", "start", LEFT + length + 6, i * LINE + 18.0, Table.number(Math.round(row.perSecond())));
        }
        return svg.toText(rows.size() * LINE + 4, "orders a second");
    }

    /** From the median to the 999th of 1000 purchases, on a logarithmic scale. */
    String latency() {
        double most = Math.log10(most(row -> (double) row.p999Micros()));
        Svg svg = new Svg(WIDTH);
        for (int i = 0; i < rows.size(); i++) {
            Row row = rows.get(i);
            double y = i * LINE + 14.0;
            label(svg, i, row);
            svg.line("range", x(row.p50Micros(), most), y, x(row.p999Micros(), most), y);
            svg.dot("busy", x(row.p50Micros(), most), y, 5)
                    .dot("busy", x(row.p99Micros(), most), y, 4)
                    .dot("busy", x(row.p999Micros(), most), y, 3);
            svg.text("soft", "start", x(row.p999Micros(), most) + 9, y + 4, figures(row));
        }
        return svg.toText(rows.size() * LINE + 4, "time for a purchase");
    }

    private static String figures(Row row) {
        return Table.millis(row.p50Micros() / 1e3) + " / " + Table.millis(row.p99Micros() / 1e3) + " / "
                + Table.millis(row.p999Micros() / 1e3);
    }

    private double most(ToDoubleFunction<Row> figure) {
        return Math.max(10, rows.stream().mapToDouble(figure).max().orElse(10));
    }

    /** From a tenth of a millisecond; leaves room for the figures. */
    private static double x(long micros, double most) {
        double share = (Math.log10(Math.max(100.0, (double) micros)) - 2) / Math.max(1, most - 2);
        return LEFT + (RIGHT - LEFT - 110) * share;
    }

    private static void label(Svg svg, int line, Row row) {
        svg.text("", "end", LEFT - 10.0, line * LINE + 18.0, row.strategy().label());
    }
}
