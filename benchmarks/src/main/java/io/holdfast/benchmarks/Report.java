package io.holdfast.benchmarks;

import com.fasterxml.jackson.jr.ob.JSON;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** All that was measured in one run. */
final class Report {

    private static final JSON WRITER = JSON.std.with(JSON.Feature.PRETTY_PRINT_OUTPUT);

    private final Map<String, String> setting;
    private final List<Row> rows = new ArrayList<>();

    Report(Map<String, String> machine, String store) {
        setting = new LinkedHashMap<>(machine);
        setting.put("store", store);
    }

    /** Adds the rows of a cell; the text that shows them. */
    String add(List<Row> cell) {
        rows.addAll(cell);
        return TextTable.of(cell.get(0).cell(), cell);
    }

    void write(Optional<Path> json, Optional<Path> html, Optional<Path> plots) throws IOException {
        if (json.isPresent()) {
            Files.writeString(json.get(), toJson());
        }
        if (html.isPresent()) {
            Files.writeString(html.get(), new HtmlPage(setting, rows).toHtml());
        }
        if (plots.isPresent()) {
            for (Figure figure : Figure.of(rows)) {
                figure.write(plots.get());
            }
        }
    }

    String toJson() throws IOException {
        Map<String, Object> report = new LinkedHashMap<>(setting);
        report.put("rows", rows.stream().map(Row::toJson).toList());
        return WRITER.asString(report) + "\n";
    }

    /** Whether Holdfast did what it promises. */
    boolean isClean() {
        return rows.stream().filter(row -> row.subject().equals("holdfast")).allMatch(Row::excludes);
    }
}
