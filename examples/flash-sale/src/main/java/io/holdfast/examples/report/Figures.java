package io.holdfast.examples.report;

import java.util.List;
import java.util.Locale;

/** Numbers and times as texts, and lines of them in columns as wide as their content. */
public final class Figures {

    private Figures() {}

    /** Returns a number with a blank between its groups of three digits. */
    public static String number(long value) {
        return String.format(Locale.ROOT, "%,d", value).replace(',', ' ');
    }

    /** Returns a time in milliseconds, or in seconds from one second on. */
    public static String millis(double millis) {
        return millis < 100
                ? String.format(Locale.ROOT, "%.1f ms", millis)
                : millis < 1_000
                        ? String.format(Locale.ROOT, "%.0f ms", millis)
                        : String.format(Locale.ROOT, "%.2f s", millis / 1_000);
    }

    /** Returns each line with its cells in columns. The first and the last column are texts, and begin at their left. */
    public static List<String> columns(List<List<String>> lines) {
        return lines.stream().map(line -> format(line, lines)).toList();
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
}
