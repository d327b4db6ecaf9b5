package io.holdfast.examples.flashsale;

import io.holdfast.Holdfast;
import java.io.BufferedReader;
import java.io.EOFException;
import java.io.IOException;
import java.time.Duration;
import java.util.List;

/**
 * What one worker process has to do. It goes through a pipe, not the command line, where everybody would see passwords.
 *
 * @param strategy how sellers are kept apart
 * @param lockStore where the locks are
 * @param stockStore the Redis that has the stock
 * @param sale the name of this sale
 * @param process the number of this process
 * @param threads how many sell at once
 * @param work between check and write
 * @param lease after which the lock of a dead process is free again
 * @param haltAfter after how many orders a process ends, or {@link #NEVER}
 * @param slowAfter after how many orders one sale lasts longer than the lease, or {@link #NEVER}
 */
public record Job(
        StrategyKind strategy,
        String lockStore,
        String stockStore,
        String sale,
        int process,
        int threads,
        Duration work,
        Duration lease,
        long haltAfter,
        long slowAfter) {

    /** For an accident that does not happen. */
    public static final long NEVER = Fate.NEVER;

    /** A small sale of this process alone, in which its code is loaded and compiled. */
    Job practice() {
        return new Job(
                strategy,
                lockStore,
                stockStore,
                sale + "/practice/" + process,
                process,
                threads,
                Duration.ZERO,
                lease,
                NEVER,
                NEVER);
    }

    /** A client of the lock store whose locks have the lease of this job. */
    Holdfast connect() {
        return Holdfast.builder().uri(lockStore).lease(lease).build();
    }

    /** One line a component. */
    public String toLines() {
        List<Object> components =
                List.of(strategy, lockStore, stockStore, sale, process, threads, work, lease, haltAfter, slowAfter);
        StringBuilder lines = new StringBuilder();
        components.forEach(component -> lines.append(component).append('\n'));
        return lines.toString();
    }

    static Job readFrom(BufferedReader in) throws IOException {
        return new Job(
                StrategyKind.valueOf(line(in)),
                line(in),
                line(in),
                line(in),
                Integer.parseInt(line(in)),
                Integer.parseInt(line(in)),
                Duration.parse(line(in)),
                Duration.parse(line(in)),
                Long.parseLong(line(in)),
                Long.parseLong(line(in)));
    }

    private static String line(BufferedReader in) throws IOException {
        String line = in.readLine();
        if (line == null) {
            throw new EOFException("the job is cut short");
        }
        return line;
    }
}
