package io.holdfast.benchmarks;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A plot of one figure over one size, for all subjects.
 *
 * @param name the name of its file
 * @param plot the curves
 */
record Figure(String name, Plot plot) {

    /** Returns the plots for which there is data. */
    static List<Figure> of(List<Row> rows) {
        return Stream.of(
                        new Axes("distinct", "Threads with a lock each", "threads, a lock each", "pairs/s")
                                .draw(rows, row -> row.cell().threads(), Row::perSecond),
                        new Axes(
                                        "processes",
                                        "Processes that share a lock",
                                        "processes of 8 threads, one lock",
                                        "pairs/s")
                                .draw(rows, row -> row.cell().processes(), Row::perSecond),
                        new Axes(
                                        "hold",
                                        "Processor time of held locks",
                                        "held locks, leases of 3 s; 100 000 of 30 s",
                                        "us of CPU for a lock and second")
                                .draw(rows, Figure::size, Row::cpuMicrosPerOp),
                        new Axes("hold", "Heap of held locks", "held locks", "heap bytes each")
                                .draw(rows, Figure::size, Row::heapBytes),
                        new Axes("waiters", "Handoffs among waiters for one lock", "waiters", "handoffs/s")
                                .draw(rows, Figure::size, Row::perSecond),
                        new Axes("waiters", "Time until all wait for one lock", "waiters", "ms to line up")
                                .draw(rows, Figure::size, Row::lineUpMillis),
                        new Axes("names", "Server memory of names used once", "names used once", "server bytes each")
                                .draw(rows, Figure::size, Row::serverBytes),
                        new Axes("names", "Heap of names used once", "names used once", "heap bytes each")
                                .draw(rows, Figure::size, Row::heapBytes))
                .filter(figure -> !figure.plot.isEmpty())
                .toList();
    }

    private static double size(Row row) {
        return row.cell().size();
    }

    /** Writes the plot as a self-contained file. */
    void write(Path folder) throws IOException {
        Files.writeString(folder.resolve(name + ".svg"), plot.toSvg("<style>\n" + Css.of("plot") + "</style>\n"));
    }

    private record Axes(String name, String title, String along, String upwards) {

        Figure draw(List<Row> rows, ToDoubleFunction<Row> x, ToDoubleFunction<Row> y) {
            Map<String, List<Row>> curves = rows.stream()
                    .filter(row -> row.cell().name().equals(name))
                    .collect(Collectors.groupingBy(Axes::curve, LinkedHashMap::new, Collectors.toList()));
            Plot plot = new Plot(title, along, upwards);
            if (curves.values().stream().anyMatch(points -> points.size() > 1)) {
                // a single point says little beside curves
                curves.values().removeIf(points -> points.size() == 1);
            }
            curves.forEach((curve, points) -> plot.add(
                    curve,
                    points.stream()
                            .map(row -> new double[] {x.applyAsDouble(row), y.applyAsDouble(row)})
                            .toList()));
            String file = (name + " " + upwards).replaceAll("[^a-zA-Z0-9]+", "-");
            return new Figure(file, plot);
        }

        /** Returns the name of the curve. Different numbers of processes are different curves. */
        private static String curve(Row row) {
            return row.cell().size() > 0 && row.cell().processes() > 1
                    ? row.subject() + ", " + row.cell().processes() + " processes"
                    : row.subject();
        }
    }
}
