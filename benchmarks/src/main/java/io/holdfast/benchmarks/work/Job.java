package io.holdfast.benchmarks.work;

import io.holdfast.benchmarks.subject.Subject;
import io.holdfast.benchmarks.subject.SubjectKind;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/**
 * What one worker process is told.
 *
 * @param name what is done, by the name of the case
 * @param subject with what
 * @param uri on which server
 * @param threads of this process
 * @param size how many locks, waiters or names, where the case has that; else 0
 * @param process which of the processes this is, from 0
 * @param processes how many there are
 * @param board the file by which they all see who is inside
 * @param limit the time that starting may take, and a round beyond its own time
 */
public record Job(
        String name,
        SubjectKind subject,
        String uri,
        int threads,
        int size,
        int process,
        int processes,
        Path board,
        Duration limit) {

    private static final int MOST_FOR_A_SHORT_LEASE = 10_000;

    /** As arguments of a command. */
    public List<String> toArguments() {
        return List.of(
                name,
                subject.toString(),
                uri,
                Integer.toString(threads),
                Integer.toString(size),
                Integer.toString(process),
                Integer.toString(processes),
                board.toString(),
                Long.toString(limit.toMillis()));
    }

    static Job of(String... arguments) {
        return new Job(
                arguments[0],
                SubjectKind.of(arguments[1]),
                arguments[2],
                Integer.parseInt(arguments[3]),
                Integer.parseInt(arguments[4]),
                Integer.parseInt(arguments[5]),
                Integer.parseInt(arguments[6]),
                Path.of(arguments[7]),
                Duration.ofMillis(Long.parseLong(arguments[8])));
    }

    /** The same for another of the processes. */
    public Job of(int another) {
        return new Job(name, subject, uri, threads, size, another, processes, board, limit);
    }

    /** A lock that no other subject uses, nor another case. */
    public String named(String lock) {
        return name + "-" + subject + "-" + lock;
    }

    /** What the names of all locks begin with that are held, and do nothing. */
    public String held() {
        return named("hold-");
    }

    Subject open() {
        return subject.open(uri, lease());
    }

    /** Short where the renewal is what is measured, unless there are more than any server could renew in that time. */
    public Duration lease() {
        return name.equals("hold") && size <= MOST_FOR_A_SHORT_LEASE ? Duration.ofSeconds(3) : Duration.ofSeconds(30);
    }
}
