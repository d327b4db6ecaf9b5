package io.holdfast.benchmarks;

import java.util.List;
import java.util.stream.Stream;

/**
 * The results of one cell.
 *
 * @param rows the subjects that finished
 * @param failures the subjects that did not
 */
record Results(List<Row> rows, List<Failure> failures) {

    static final Results NONE = new Results(List.of(), List.of());

    Results and(Results more) {
        return new Results(join(rows, more.rows), join(failures, more.failures));
    }

    private static <T> List<T> join(List<T> some, List<T> more) {
        return Stream.concat(some.stream(), more.stream()).toList();
    }
}
