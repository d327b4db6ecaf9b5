package io.holdfast.examples.web.demo;

import java.io.PrintStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** The figures for a person, in columns as wide as their content, and lines that explain them. */
final class Table {

    private static final List<String> HEAD = List.of(
            "way",
            "orders",
            "left",
            "oversold",
            "lost updates",
            "stale",
            "refused",
            "paused",
            "killed",
            "stalled",
            "orders/s",
            "p50",
            "p99",
            "");

    private Table() {}

    static void print(List<Row> rows, Scale scale, String store, PrintStream out) {
        List<List<String>> lines = new ArrayList<>(List.of(HEAD));
        rows.forEach(row -> lines.add(cells(row)));
        lines.forEach(line -> out.println(format(line, lines)));
        out.println();
        setting(scale, store).forEach(out::println);
        rows.forEach(row -> out.println(meaning(row)));
    }

    private static List<String> cells(Row row) {
        return List.of(
                row.way().label(),
                number(row.orders()),
                number(row.left()),
                number(row.oversold()),
                number(row.lostUpdates()),
                number(row.stale()),
                number(row.refused()),
                number(row.accidents().paused()),
                number(row.accidents().killed()),
                text(Duration.ofMillis(row.stalledMillis())),
                number(Math.round(row.perSecond())),
                millis(row.p50Micros() / 1e3),
                millis(row.p99Micros() / 1e3),
                verdict(row));
    }

    static String verdict(Row row) {
        if (!row.accidents().finished()) {
            return "UNFINISHED";
        }
        if (!row.exact()) {
            return "WRONG";
        }
        return row.way().promisesExact() ? "exact" : "exact this time";
    }

    private static List<String> setting(Scale scale, String store) {
        return List.of(
                number(scale.stock()) + " items, 2 instances behind a proxy, " + scale.buyers() + " buyers, "
                        + number(scale.requests()) + " requests, " + text(Scale.WORK)
                        + " between reading the stock and writing it; stock and locks in " + store
                        + ". Counted there afterwards.",
                "orders/s: of the first " + scale.undisturbed()
                        + " orders. Then one instance is paused between check and"
                        + " write, for " + text(Scale.PAUSE) + "; the lease is "
                        + text(Scale.LEASE)
                        + ". When it has continued, the other one is killed between check and write.");
    }

    private static String meaning(Row row) {
        return row.way().label() + " (" + row.way().description() + ") " + result(row) + unanswered(row)
                + accidents(row) + ".";
    }

    private static String result(Row row) {
        if (row.exact()) {
            return row.way().promisesExact() ? "sold every item once" : "sold every item once, this time";
        }
        if (row.oversold() > 0) {
            return "sold " + number(row.oversold()) + " items that did not exist";
        }
        return row.stale() > 0
                ? "accepted " + number(row.stale()) + " stale writes"
                : "left " + number(row.left()) + " items unsold";
    }

    private static String unanswered(Row row) {
        return row.unanswered() == 0
                ? ""
                : "; " + number(row.unanswered()) + " buyers were not told that they bought one";
    }

    private static String accidents(Row row) {
        return (row.accidents().paused() == 1 ? "" : "; no instance was paused between check and write")
                + (row.accidents().killed() == 1 ? "" : "; no instance was killed between check and write");
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

    private static String text(Duration time) {
        return millis(time.toNanos() / 1e6);
    }

    static String millis(double millis) {
        return millis < 100
                ? String.format(Locale.ROOT, "%.1f ms", millis)
                : millis < 1_000
                        ? String.format(Locale.ROOT, "%.0f ms", millis)
                        : String.format(Locale.ROOT, "%.2f s", millis / 1_000);
    }
}
