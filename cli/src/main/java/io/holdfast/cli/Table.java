package io.holdfast.cli;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** A table of rows under headings, with aligned columns. */
final class Table {

    static final List<String> HEADINGS = List.of("NAME", "KIND", "HOLDER", "TOKEN", "LEASE", "WAITING");

    private Table() {}

    static List<String> of(List<Shown> all) {
        List<List<String>> rows = new ArrayList<>(List.of(HEADINGS));
        all.stream().map(Shown::row).forEach(rows::add);
        int[] widths = IntStream.range(0, HEADINGS.size())
                .map(column -> rows.stream()
                        .mapToInt(row -> row.get(column).length())
                        .max()
                        .orElse(0))
                .toArray();
        return rows.stream().map(row -> line(row, widths)).toList();
    }

    private static String line(List<String> row, int[] widths) {
        return IntStream.range(0, widths.length)
                .mapToObj(column -> row.get(column)
                        + " ".repeat(widths[column] - row.get(column).length()))
                .collect(Collectors.joining("  "))
                .stripTrailing();
    }
}
