package io.holdfast.cli.demo;

import io.holdfast.examples.flashsale.StrategyKind;
import java.util.ArrayList;
import java.util.List;

/** The lines under the table: what was run, and what it shows. */
final class Explanation {

    private Explanation() {}

    static List<String> of(DemoOptions options, List<Row> rows) {
        List<String> lines = new ArrayList<>();
        lines.add("");
        lines.add(setting(options));
        rows.forEach(row -> lines.add(meaning(row)));
        return lines;
    }

    private static String setting(DemoOptions options) {
        return Table.number(options.stock()) + " items, " + options.processes() + " processes with " + options.threads()
                + " sellers each, " + Table.millis(options.work().toNanos() / 1e6)
                + " between reading the stock and writing it; " + options.shownStore()
                + ". Counted in Redis afterwards.";
    }

    private static String meaning(Row row) {
        return row.strategy().label() + " (" + row.strategy().description() + ") " + verdict(row) + death(row) + ".";
    }

    private static String verdict(Row row) {
        if (row.exact()) {
            return row.strategy() == StrategyKind.LOCK ? "sold every item once" : "sold every item once, this time";
        }
        if (row.oversold() > 0) {
            return "sold " + Table.number(row.oversold()) + " items that were not there";
        }
        return "left " + Table.number(row.left()) + " items unsold";
    }

    private static String death(Row row) {
        if (!row.strategy().holds()) {
            return "";
        }
        if (row.killed() == 0) {
            return "; no process was killed, so this run shows nothing";
        }
        return "; one process was killed while it held the lock: the sale stood still for "
                + Table.millis((double) row.stalledMillis()) + " (the lease is " + DemoOptions.LEASE.toSeconds()
                + " s; left out of orders/s)";
    }
}
