package io.holdfast.examples.web.demo;

import io.holdfast.examples.report.Figures;
import java.io.PrintStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

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
        Figures.columns(lines).forEach(out::println);
        out.println();
        setting(scale, store).forEach(out::println);
        rows.forEach(row -> out.println(meaning(row)));
    }

    private static List<String> cells(Row row) {
        return List.of(
                row.way().label(),
                Figures.number(row.orders()),
                Figures.number(row.left()),
                Figures.number(row.oversold()),
                Figures.number(row.lostUpdates()),
                Figures.number(row.stale()),
                Figures.number(row.refused()),
                Figures.number(row.accidents().paused()),
                Figures.number(row.accidents().killed()),
                text(Duration.ofMillis(row.stalledMillis())),
                Figures.number(Math.round(row.perSecond())),
                Figures.millis(row.p50Micros() / 1e3),
                Figures.millis(row.p99Micros() / 1e3),
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
                Figures.number(scale.stock()) + " items, 2 instances behind a proxy, " + scale.buyers() + " buyers, "
                        + Figures.number(scale.requests()) + " requests, " + text(Scale.WORK)
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
            return "sold " + Figures.number(row.oversold()) + " items that did not exist";
        }
        return row.stale() > 0
                ? "accepted " + Figures.number(row.stale()) + " stale writes"
                : "left " + Figures.number(row.left()) + " items unsold";
    }

    private static String unanswered(Row row) {
        return row.unanswered() == 0
                ? ""
                : "; " + Figures.number(row.unanswered()) + " buyers were not told that they bought one";
    }

    private static String accidents(Row row) {
        return (row.accidents().paused() == 1 ? "" : "; no instance was paused between check and write")
                + (row.accidents().killed() == 1 ? "" : "; no instance was killed between check and write");
    }

    private static String text(Duration time) {
        return Figures.millis(time.toNanos() / 1e6);
    }
}
