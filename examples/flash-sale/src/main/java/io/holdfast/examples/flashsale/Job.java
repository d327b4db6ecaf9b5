package io.holdfast.examples.flashsale;

import io.holdfast.Holdfast;
import java.io.BufferedReader;
import java.io.EOFException;
import java.io.IOException;
import java.time.Duration;
import java.util.List;

/**
 * The job of one worker process. It is sent through a pipe, not on the command line, because every user can see passwords
 * there.
 *
 * @param strategy the way in which sellers exclude each other
 * @param lockStore the URI of the lock store
 * @param stockStore the URI of the Redis with the stock
 * @param sale the name of the flash sale
 * @param process the number of this process
 * @param threads the number of sellers in this process
 * @param work the time between check and write
 * @param lease the lease of locks; a dead process holds its lock for this time
 * @param haltAfter the number of orders after which a process is halted, or {@link #NEVER}
 * @param slowAfter the number of orders after which one purchase takes longer than the lease, or {@link #NEVER}
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

    /** The number of orders for an accident that does not happen. */
    public static final long NEVER = Fate.NEVER;

    private static final Duration PATIENCE = Duration.ofSeconds(30);

    /** Returns a small sale of this process alone, which warms the code up. */
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

    /** Connects to the lock store. Its locks have the lease of this job. A slow answer on a busy machine is no failure. */
    Holdfast connect() {
        return Holdfast.builder()
                .uri(lockStore)
                .lease(lease)
                .commandTimeout(PATIENCE)
                .connectTimeout(PATIENCE)
                .build();
    }

    /** Returns the text form, with one line for each component. */
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
