package io.holdfast.examples.flashsale;

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
 * @param threads how many sell at once
 * @param work between check and write
 * @param lease after which the lock of a dead process is free again
 * @param dieAt the stock at which this process ends by accident, or {@link #NEVER}
 */
public record Job(
        StrategyKind strategy,
        String lockStore,
        String stockStore,
        String sale,
        int threads,
        Duration work,
        Duration lease,
        long dieAt) {

    /** For {@code dieAt}: this process ends by no accident. */
    public static final long NEVER = -1;

    /** The same, for the process that ends by accident. */
    public Job dyingAt(long stock) {
        return new Job(strategy, lockStore, stockStore, sale, threads, work, lease, stock);
    }

    Accident accident() {
        return dieAt == NEVER ? Accident.none() : Accident.once(dieAt);
    }

    /** One line a component. */
    public String toLines() {
        List<Object> components = List.of(strategy, lockStore, stockStore, sale, threads, work, lease, dieAt);
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
                Duration.parse(line(in)),
                Duration.parse(line(in)),
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
