package io.holdfast.cli.demo;

import io.holdfast.examples.report.Figures;
import java.util.ArrayList;
import java.util.List;

/** The lines under the table, which explain the setting and the results. */
final class Explanation {

    private Explanation() {}

    static List<String> of(DemoOptions options, List<Row> rows) {
        List<String> lines = new ArrayList<>(List.of("", setting(options), accidents(options)));
        rows.forEach(row -> lines.add(meaning(row)));
        return lines;
    }

    static String setting(DemoOptions options) {
        return Figures.number(options.stock()) + " items, " + options.processes() + " processes with "
                + options.threads()
                + " sellers each, " + Figures.millis(options.work().toNanos() / 1e6)
                + " between reading the stock and writing it; " + options.shownStore()
                + ". Counted in Redis afterwards.";
    }

    static String accidents(DemoOptions options) {
        return "orders/s: of the first " + Figures.number(options.haltAfter())
                + " orders, by the clock of Redis. Then one process is killed between check and write, and after "
                + Figures.number(options.slowAfter())
                + " orders one seller of another process is slow in one purchase, for longer than a lease ("
                + DemoOptions.LEASE.toSeconds() + " s).";
    }

    static String meaning(Row row) {
        return row.strategy().label() + " (" + row.strategy().description() + ") " + verdict(row) + death(row) + ".";
    }

    private static String verdict(Row row) {
        if (row.exact()) {
            return row.strategy().promisesExact() ? "sold every item once" : "sold every item once, this time";
        }
        if (row.oversold() > 0) {
            return "sold " + Figures.number(row.oversold()) + " items that did not exist";
        }
        return "left " + Figures.number(row.left()) + " items unsold";
    }

    private static String death(Row row) {
        return row.killed() == 0
                ? "; no process was killed, so this run does not show the effect of a crash"
                : "; the longest time without an order was " + Figures.millis((double) row.stalledMillis());
    }
}
