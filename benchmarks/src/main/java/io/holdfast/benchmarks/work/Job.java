package io.holdfast.benchmarks.work;

import io.holdfast.benchmarks.subject.Subject;
import io.holdfast.benchmarks.subject.SubjectKind;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/**
 * The job of one worker process.
 *
 * @param name the name of the case
 * @param subject the subject
 * @param uri the URI of the server
 * @param threads the number of threads of this process
 * @param size the number of locks, waiters or names, if the case has one; otherwise 0
 * @param process the number of this process, from 0
 * @param processes the number of processes
 * @param board the file of the shared counters
 * @param limit the time limit for the start, and for a round beyond its duration
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

    /** Returns the job as command-line arguments. */
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

    /** Returns the job of another process. */
    public Job of(int another) {
        return new Job(name, subject, uri, threads, size, another, processes, board, limit);
    }

    /** Returns the name of a lock that no other subject or case uses. */
    public String named(String lock) {
        return name + "-" + subject + "-" + lock;
    }

    /** Returns the prefix of the locks that are held without doing anything. */
    public String held() {
        return named("hold-");
    }

    Subject open() {
        return subject.open(uri, lease());
    }

    /** Returns a short lease if renewals are measured, unless no server could renew so many locks in that time. */
    public Duration lease() {
        return name.equals("hold") && size <= MOST_FOR_A_SHORT_LEASE ? Duration.ofSeconds(3) : Duration.ofSeconds(30);
    }
}
