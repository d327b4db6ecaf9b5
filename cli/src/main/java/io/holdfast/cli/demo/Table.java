package io.holdfast.cli.demo;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** The figures for a person, in columns as wide as their content. */
final class Table {

    static final List<String> HEAD = List.of(
            "strategy",
            "orders",
            "left",
            "oversold",
            "lost updates",
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
        lines.forEach(line -> out.println(format(line, lines)));
    }

    static List<String> cells(Row row) {
        return List.of(
                row.strategy().label(),
                number(row.orders()),
                number(row.left()),
                number(row.oversold()),
                number(row.lostUpdates()),
                number(row.killed()),
                millis((double) row.stalledMillis()),
                number(Math.round(row.perSecond())),
                millis(row.p50Micros() / 1e3),
                millis(row.p99Micros() / 1e3),
                verdict(row));
    }

    static String verdict(Row row) {
        if (!row.exact()) {
            return "WRONG";
        }
        return row.strategy().promisesExact() ? "exact" : "exact this time";
    }

    private static String format(List<String> cells, List<List<String>> all) {
        StringBuilder line = new StringBuilder();
        for (int column = 0; column < cells.size(); column++) {
            boolean text = column == 0 || column == cells.size() - 1;
            line.append(column == 0 ? "" : "  ").append(pad(cells.get(column), width(all, column), text));
        }
        return line.toString().stripTrailing();
    }

    private static int width(List<List<String>> lines, int column) {
        return lines.stream().mapToInt(line -> line.get(column).length()).max().orElse(0);
    }

    private static String pad(String cell, int width, boolean left) {
        String space = " ".repeat(width - cell.length());
        return left ? cell + space : space + cell;
    }

    static String number(long value) {
        return String.format(Locale.ROOT, "%,d", value).replace(',', ' ');
    }

    static String millis(double millis) {
        return millis < 100
                ? String.format(Locale.ROOT, "%.1f ms", millis)
                : millis < 1_000
                        ? String.format(Locale.ROOT, "%.0f ms", millis)
                        : String.format(Locale.ROOT, "%.2f s", millis / 1_000);
    }
}
