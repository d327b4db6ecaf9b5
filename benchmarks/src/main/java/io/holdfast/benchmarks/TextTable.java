package io.holdfast.benchmarks;

import static java.util.stream.Collectors.joining;

import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;

/** The results of a cell as a table for a terminal. */
final class TextTable {

    private static final String HEAD = String.format(
            "  %-11s %10s %25s %10s %10s %10s %9s %9s %7s %6s %6s %7s",
            "", "/s", "min .. max", "p50", "p99", "p99.9", "cpu", "server", "cmds", "least", "wrong", "");

    private TextTable() {}

    static String of(Cell cell, Results results) {
        List<Row> rows = results.rows();
        StringBuilder text = new StringBuilder("\n" + cell + "\n" + HEAD.stripTrailing() + "\n");
        for (Row row : rows) {
            text.append(line(row)).append(ratios(row, rows)).append(sizes(row)).append('\n');
        }
        for (Failure failure : results.failures()) {
            text.append(format("  %-9s failed: %s\n", failure.subject(), failure.text()));
        }
        return text.toString();
    }

    private static String line(Row row) {
        return format(
                "  %-11s %10s %25s %10s %10s %10s %9s %9s %7.2f %6.2f %6d",
                row.subject(),
                number(row.perSecond()),
                number(row.slowest()) + " .. " + number(row.fastest()),
                micros(row.micros(50)),
                micros(row.micros(99)),
                micros(row.micros(99.9)),
                micros(row.cpuMicrosPerOp()),
                micros(row.serverMicrosPerOp()),
                row.commandsPerOp(),
                row.leastShare(),
                row.violations() + row.lost());
    }

    private static String ratios(Row row, List<Row> rows) {
        if (!row.subject().equals("holdfast")) {
            return "";
        }
        return Stream.of("redisson", "curator", "jetcd", "shedlock", "spring", "floor")
                .map(other -> ratio(row, rows, other))
                .collect(joining());
    }

    private static String ratio(Row row, List<Row> rows, String other) {
        Optional<Row> found =
                rows.stream().filter(each -> each.subject().equals(other)).findAny();
        return found.map(peer -> format("  %.2f x %s", row.perSecond() / peer.perSecond(), other))
                .orElse("");
    }

    private static String sizes(Row row) {
        StringBuilder text = new StringBuilder();
        if (row.heapBytes() > 0) {
            text.append(format("  heap %,.0f B each", row.heapBytes()));
        }
        if (row.cell().name().equals("names")) {
            text.append(format("  server %,.0f B each", row.serverBytes()));
        }
        if (row.lineUpMillis() > 0) {
            text.append(format("  lined up in %,.0f ms", row.lineUpMillis()));
        }
        return text.toString();
    }

    static String number(double value) {
        return value < 100 ? format("%.1f", value) : format("%,.0f", value);
    }

    static String micros(double micros) {
        if (micros >= 1e6) {
            return format("%.2f s", micros / 1e6);
        }
        if (micros >= 1e3) {
            return format("%.1f ms", micros / 1e3);
        }
        return format("%.1f us", micros);
    }

    static String format(String text, Object... values) {
        return String.format(Locale.ROOT, text, values);
    }
}
