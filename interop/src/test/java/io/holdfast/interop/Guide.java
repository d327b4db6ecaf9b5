package io.holdfast.interop;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The table of methods in the guide for those who come from Redisson. */
final class Guide {

    private static final Path PAGE = Path.of("..", "docs", "migrating-from-redisson.md");

    /** A test of one row of the table. */
    @Retention(RetentionPolicy.RUNTIME)
    @interface Row {

        /** The first cell of the row: the call of Redisson's. */
        String value();

        /** The last cell: what differs. A test that does not agree with it is to be looked at again. */
        String differs();
    }

    private Guide() {}

    /** What differs, for each call of Redisson's. */
    static Map<String, String> rows() {
        return table().map(Guide::cells)
                .collect(Collectors.toMap(
                        cells -> cells.get(0),
                        cells -> cells.get(2),
                        (a, b) -> {
                            throw new AssertionError("two rows for one call: " + a + ", " + b);
                        },
                        TreeMap::new));
    }

    /** What the tests of a class say of them. */
    static Map<String, String> tested(Class<?> tests) {
        return Stream.of(tests.getDeclaredMethods())
                .map(method -> method.getAnnotation(Row.class))
                .filter(row -> row != null)
                .collect(Collectors.toMap(Row::value, Row::differs, (a, b) -> a + " / " + b, TreeMap::new));
    }

    private static Stream<String> table() {
        try {
            List<String> lines = Files.readAllLines(PAGE);
            return lines.subList(lines.indexOf("## Methods"), lines.size()).stream()
                    .dropWhile(line -> !line.startsWith("|---"))
                    .skip(1)
                    .takeWhile(line -> line.startsWith("|"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static List<String> cells(String row) {
        List<String> cells = Stream.of(row.split("\\|", -1)).map(String::strip).toList();
        return cells.subList(1, cells.size() - 1);
    }
}
