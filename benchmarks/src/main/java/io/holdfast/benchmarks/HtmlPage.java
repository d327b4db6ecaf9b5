package io.holdfast.benchmarks;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;

/** The report as one self-contained HTML page. */
final class HtmlPage {

    private static final String PAGE = """
            <!doctype html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <title>Holdfast: benchmarks</title>
            <style>
            %s</style>
            </head>
            <body>
            <h1>Benchmarks</h1>
            <p>All subjects of a case worked one after the other, in alternating rounds of one run, on one server. Figures are \
            medians over the rounds; percentiles are over all of them.</p>
            <table class="setting">%s</table>
            <h2>How it grows</h2>
            <div class="plots">
            %s</div>
            %s<h2>All figures</h2>
            <div class="wide"><table>
            %s</table></div>
            </body>
            </html>
            """;

    private static final List<String> HEAD = List.of(
            "case",
            "subject",
            "/s",
            "min",
            "max",
            "p50",
            "p99",
            "p99.9",
            "CPU/op",
            "server/op",
            "commands/op",
            "messages/op",
            "least thread",
            "least process",
            "wrong",
            "heap B",
            "server B",
            "lined up ms");

    private final Map<String, String> setting;
    private final Results results;

    HtmlPage(Map<String, String> setting, Results results) {
        this.setting = setting;
        this.results = results;
    }

    String toHtml() throws IOException {
        return PAGE.formatted(Css.of("plot") + Css.of("bench"), facts(), plots(), failures(), table());
    }

    private String facts() {
        return setting.entrySet().stream()
                .map(fact -> "<tr><td>" + fact.getKey() + "</td><td>" + escape(fact.getValue()) + "</td></tr>\n")
                .collect(Collectors.joining());
    }

    private String plots() {
        return Figure.of(results.rows()).stream().map(HtmlPage::plot).collect(Collectors.joining());
    }

    private static String plot(Figure figure) {
        return "<figure>" + figure.plot().toSvg("") + "</figure>\n";
    }

    private String failures() {
        if (results.failures().isEmpty()) {
            return "";
        }
        return "<h2>Failed</h2>\n<table>\n"
                + line("th", List.of("case", "subject", "failure"))
                + results.failures().stream()
                        .map(failure ->
                                line("td", List.of(failure.cell().toString(), failure.subject(), failure.text())))
                        .collect(Collectors.joining())
                + "</table>\n";
    }

    private String table() {
        return line("th", HEAD)
                + results.rows().stream().map(row -> line("td", cells(row))).collect(Collectors.joining());
    }

    private static List<String> cells(Row row) {
        Function<Double, String> two = value -> TextTable.format("%.2f", value);
        return List.of(
                row.cell().toString(),
                row.subject(),
                TextTable.number(row.perSecond()),
                TextTable.number(row.slowest()),
                TextTable.number(row.fastest()),
                TextTable.micros(row.micros(50)),
                TextTable.micros(row.micros(99)),
                TextTable.micros(row.micros(99.9)),
                TextTable.micros(row.cpuMicrosPerOp()),
                TextTable.micros(row.serverMicrosPerOp()),
                two.apply(row.commandsPerOp()),
                two.apply(row.messagesPerOp()),
                two.apply(row.leastShare()),
                two.apply(row.leastProcessShare()),
                Long.toString(row.violations() + row.lost()),
                TextTable.format("%,.0f", row.heapBytes()),
                TextTable.format("%,.0f", row.serverBytes()),
                TextTable.format("%,.0f", row.lineUpMillis()));
    }

    private static String line(String tag, List<String> cells) {
        return cells.stream()
                .map(cell -> "<" + tag + ">" + escape(cell) + "</" + tag + ">")
                .collect(Collectors.joining("", "<tr>", "</tr>\n"));
    }

    private static String escape(String text) {
        return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
    }
}
