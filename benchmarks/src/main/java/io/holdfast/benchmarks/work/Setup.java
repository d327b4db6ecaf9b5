package io.holdfast.benchmarks.work;

import io.holdfast.benchmarks.subject.Subject;
import java.util.Map;
import org.HdrHistogram.Histogram;

/** Connects anew for each operation, and acquires and releases a first lock. */
final class Setup implements Workload {

    private final Job job;

    Setup(Job job) {
        this.job = job;
    }

    @Override
    public Answer round(long millis) {
        Histogram latency = Answer.newHistogram();
        long start = System.nanoTime();
        long count = 0;
        do {
            latency.recordValue(once());
            count++;
        } while (System.nanoTime() - start < millis * 1_000_000);
        return Answer.of(count, System.nanoTime() - start, 0, latency, Map.of());
    }

    /** Closes the client outside of the measured time. */
    private long once() {
        long begin = System.nanoTime();
        try (Subject subject = job.open()) {
            Pair.run(subject.lock(job.named("first")));
            return System.nanoTime() - begin;
        }
    }
}
