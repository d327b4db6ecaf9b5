package io.holdfast.benchmarks.work;

import io.holdfast.benchmarks.subject.Subject;
import java.util.Map;
import org.HdrHistogram.Histogram;

/** From nothing to the first lock that was had and given back: connects anew each time. */
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

    /** The end of the client is not part of the time. */
    private long once() {
        long begin = System.nanoTime();
        try (Subject subject = job.open()) {
            Pair.run(subject.lock(job.named("first")));
            return System.nanoTime() - begin;
        }
    }
}
