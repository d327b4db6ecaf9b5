package io.holdfast.benchmarks;

import com.fasterxml.jackson.jr.ob.JSON;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/** All measurements of one run. */
final class Report {

    private static final String OURS = "holdfast";
    private static final JSON WRITER = JSON.std.with(JSON.Feature.PRETTY_PRINT_OUTPUT);

    private final Map<String, String> setting;
    private Results results = Results.NONE;

    Report(Map<String, String> machine, String store) {
        setting = new LinkedHashMap<>(machine);
        setting.put("store", store);
    }

    /** Adds the results of a cell, and returns them as a table. */
    String add(Cell cell, Results found) {
        results = results.and(found);
        return TextTable.of(cell, found);
    }

    void write(Optional<Path> json, Optional<Path> html, Optional<Path> plots) throws IOException {
        if (json.isPresent()) {
            Files.writeString(json.get(), toJson());
        }
        if (html.isPresent()) {
            Files.writeString(html.get(), new HtmlPage(setting, results).toHtml());
        }
        if (plots.isPresent()) {
            for (Figure figure : Figure.of(results.rows())) {
                figure.write(plots.get());
            }
        }
    }

    String toJson() throws IOException {
        Map<String, Object> report = new LinkedHashMap<>(setting);
        report.put("rows", results.rows().stream().map(Row::toJson).toList());
        report.put("failures", results.failures().stream().map(Failure::toJson).toList());
        return WRITER.asString(report) + "\n";
    }

    /** Returns {@code true} if Holdfast finished every cell and kept its guarantees. */
    boolean isClean() {
        return results.rows().stream().filter(row -> row.subject().equals(OURS)).allMatch(Row::excludes)
                && results.failures().stream()
                        .noneMatch(failure -> failure.subject().equals(OURS));
    }
}
