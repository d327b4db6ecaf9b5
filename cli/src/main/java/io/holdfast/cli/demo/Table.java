package io.holdfast.cli.demo;

import io.holdfast.examples.report.Figures;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;

/** The figures for a person, in columns as wide as their content. */
final class Table {

    static final List<String> HEAD = List.of(
            "strategy",
            "orders",
            "left",
            "oversold",
            "lost updates",
            "lost holds",
            "fenced off",
            "killed",
            "stalled",
            "orders/s",
            "p50",
            "p99",
            "");

    private Table() {}

    static void print(List<Row> rows, PrintWriter out) {
        List<List<String>> lines = new ArrayList<>(List.of(HEAD));
        rows.forEach(row -> lines.add(cells(row)));
        Figures.columns(lines).forEach(out::println);
    }

    static List<String> cells(Row row) {
        return List.of(
                row.strategy().label(),
                Figures.number(row.orders()),
                Figures.number(row.left()),
                Figures.number(row.oversold()),
                Figures.number(row.lostUpdates()),
                ofHolds(row, row.lostHolds()),
                ofHolds(row, row.fencedOff()),
                Figures.number(row.killed()),
                Figures.millis((double) row.stalledMillis()),
                Figures.number(Math.round(row.perSecond())),
                Figures.millis(row.p50Micros() / 1e3),
                Figures.millis(row.p99Micros() / 1e3),
                verdict(row));
    }

    /** A strategy without Holdfast does not notice that its lock has ended. */
    private static String ofHolds(Row row, long number) {
        return row.strategy().promisesExact() ? Figures.number(number) : "-";
    }

    static String verdict(Row row) {
        if (!row.exact()) {
            return "WRONG";
        }
        return row.strategy().promisesExact() ? "exact" : "exact this time";
    }
}
