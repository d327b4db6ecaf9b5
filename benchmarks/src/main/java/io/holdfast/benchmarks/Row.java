package io.holdfast.benchmarks;

import io.holdfast.benchmarks.work.Answer;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import org.HdrHistogram.Histogram;

/**
 * The figures of one subject in one cell: medians over the rounds, and percentiles over all of them.
 *
 * @param cell the cell
 * @param subject the subject
 * @param perSecond the operations per second of all processes
 * @param slowest the slowest round
 * @param fastest the fastest round
 * @param latency the latencies of all operations, in ns
 * @param cpuMicrosPerOp the CPU time of the client processes for each operation
 * @param serverMicrosPerOp the CPU time of the server for each operation
 * @param commandsPerOp the commands that clients sent for each operation, as the server counts them
 * @param messagesPerOp the published messages for each operation
 * @param leastShare the operations of the least served thread, as a share of the mean
 * @param leastProcessShare the operations of the least served process, as a share of the mean
 * @param violations the number of violations of mutual exclusion in all rounds
 * @param lost the locks that should be held but are not at the server
 * @param heapBytes the client's heap for each lock, waiter or name; otherwise 0
 * @param serverBytes the server's memory for each lock, waiter or name; otherwise 0
 * @param lineUpMillis the time until all waiters waited; otherwise 0
 */
record Row(
        Cell cell,
        String subject,
        double perSecond,
        double slowest,
        double fastest,
        Histogram latency,
        double cpuMicrosPerOp,
        double serverMicrosPerOp,
        double commandsPerOp,
        double messagesPerOp,
        double leastShare,
        double leastProcessShare,
        long violations,
        long lost,
        double heapBytes,
        double serverBytes,
        double lineUpMillis) {

    static Row of(Cell cell, String subject, List<Round> rounds) {
        Histogram latency = new Histogram(3);
        rounds.stream()
                .flatMap(round -> round.answers().stream())
                .map(Answer::latency)
                .forEach(latency::add);
        int threads = cell.threads() * cell.processes();
        return new Row(
                cell,
                subject,
                median(rounds, Round::perSecond),
                rounds.stream().mapToDouble(Round::perSecond).min().orElse(0),
                rounds.stream().mapToDouble(Round::perSecond).max().orElse(0),
                latency,
                median(rounds, round -> perOp(round, round.cpuMicros())),
                median(rounds, round -> perOp(round, round.server().cpuMicros())),
                median(rounds, round -> perOp(round, round.server().commands())),
                median(rounds, round -> perOp(round, round.server().messages())),
                median(rounds, round -> round.leastThread(threads)),
                median(rounds, Round::leastProcess),
                rounds.stream().mapToLong(Round::violations).sum(),
                rounds.stream().mapToLong(Round::lost).max().orElse(0),
                median(rounds, round -> round.extra("heapBytes")),
                cell.size() == 0 ? 0 : Math.max(0, rounds.get(0).server().memory()) / (double) cell.size(),
                median(rounds, round -> round.extra("lineUpMillis")));
    }

    private static double perOp(Round round, long amount) {
        return (double) amount / Math.max(1, round.operations());
    }

    private static double median(List<Round> rounds, ToDoubleFunction<Round> figure) {
        double[] sorted = rounds.stream().mapToDouble(figure).sorted().toArray();
        int middle = sorted.length / 2;
        return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
    }

    double micros(double percentile) {
        return latency.getTotalCount() == 0 ? 0 : latency.getValueAtPercentile(percentile) / 1e3;
    }

    boolean excludes() {
        return violations == 0 && lost == 0;
    }

    /** Returns the fields for JSON. */
    Map<String, Object> toJson() {
        Map<String, Object> fields = cell.toJson(subject);
        fields.put("perSecond", perSecond);
        fields.put("perSecondMin", slowest);
        fields.put("perSecondMax", fastest);
        fields.put("p50Micros", micros(50));
        fields.put("p99Micros", micros(99));
        fields.put("p999Micros", micros(99.9));
        fields.put("maxMicros", micros(100));
        fields.put("cpuMicrosPerOp", cpuMicrosPerOp);
        fields.put("serverMicrosPerOp", serverMicrosPerOp);
        fields.put("commandsPerOp", commandsPerOp);
        fields.put("messagesPerOp", messagesPerOp);
        fields.put("leastShare", leastShare);
        fields.put("leastProcessShare", leastProcessShare);
        fields.put("violations", violations);
        fields.put("lost", lost);
        fields.put("heapBytes", heapBytes);
        fields.put("serverBytes", serverBytes);
        fields.put("lineUpMillis", lineUpMillis);
        return fields;
    }
}
