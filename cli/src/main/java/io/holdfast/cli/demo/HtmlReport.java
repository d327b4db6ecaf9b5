package io.holdfast.cli.demo;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Collectors;

/** The report for a person with a browser. It is one page without any other file. */
final class HtmlReport {

    private static final String PAGE = """
            <!doctype html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <title>Holdfast: the flash sale</title>
            <style>
            %s</style>
            </head>
            <body>
            <h1>The flash sale</h1>
            <p class="soft">%s</p>
            <section class="wide">
            %s</section>
            <p class="soft">%s</p>
            <h2>Orders a second</h2>
            <section><figure class="chart">
            %s<figcaption>Before the first accident. Red: the result was wrong.</figcaption></figure></section>
            <h2>Time for a purchase</h2>
            <section><figure class="chart">
            %s<figcaption>p50 / p99 / p99.9 as the sellers measured it, accidents included; the scale is \
            logarithmic.</figcaption></figure></section>
            <h2>Sellers between check and write</h2>
            <p class="soft">A lane for each process, filled while one of its sellers was inside: from reading the stock until \
            its order was there, both by the clock of Redis. Red is where another seller was inside at the same time, \
            under a strategy that should admit only one.</p>
            %s</body>
            </html>
            """;

    private HtmlReport() {}

    static String of(DemoOptions options, List<Sold> sales) throws IOException {
        List<Row> rows = sales.stream().map(Sold::row).toList();
        Charts charts = new Charts(rows);
        return PAGE.formatted(
                style(),
                Svg.escape(Explanation.setting(options)),
                table(rows),
                Svg.escape(Explanation.accidents(options)),
                charts.throughput(),
                charts.latency(),
                sales.stream()
                        .map(sold -> new TimelineSection(options, sold).toHtml())
                        .collect(Collectors.joining()));
    }

    private static String style() throws IOException {
        try (InputStream css = HtmlReport.class.getResourceAsStream("report.css")) {
            if (css == null) {
                throw new IOException("report.css is not in the jar");
            }
            return new String(css.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    private static String table(List<Row> rows) {
        String head = Table.HEAD.stream().map(cell -> "<th>" + cell + "</th>").collect(Collectors.joining());
        return rows.stream()
                .map(HtmlReport::line)
                .collect(Collectors.joining("", "<table><tr>" + head + "</tr>\n", "</table>\n"));
    }

    private static String line(Row row) {
        List<String> cells = Table.cells(row);
        String figures = cells.subList(0, cells.size() - 1).stream()
                .map(cell -> "<td>" + Svg.escape(cell) + "</td>")
                .collect(Collectors.joining());
        return "<tr>" + figures + "<td class=\"" + style(row) + "\">" + Table.verdict(row) + "</td></tr>\n";
    }

    private static String style(Row row) {
        if (!row.exact()) {
            return "wrong";
        }
        return row.strategy().promisesExact() ? "right" : "luck";
    }
}
