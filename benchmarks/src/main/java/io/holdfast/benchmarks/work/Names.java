package io.holdfast.benchmarks.work;

import io.holdfast.benchmarks.subject.Subject;
import java.util.Map;
import java.util.concurrent.ExecutorService;

/** Uses many names once, one after the other, and measures what remains of them in the client. */
final class Names implements Workload {

    private final Subject subject;
    private final ExecutorService makers = Crowd.makers();
    private final int count;
    private final String prefix;

    Names(Job job) {
        subject = job.open();
        count = job.size();
        prefix = job.named("name-");
        // the memory of the first use of any name does not belong to the names
        pair(prefix);
    }

    @Override
    public Answer round(long millis) throws InterruptedException {
        long before = Crowd.heap();
        long start = System.nanoTime();
        Crowd.each(makers, count, i -> pair(prefix + i));
        long nanos = System.nanoTime() - start;
        Map<String, Double> heap = Crowd.heapEach(before, count);
        return Answer.of(count, nanos, 0, Answer.newHistogram(), heap);
    }

    private void pair(String name) {
        Pair.run(subject.lock(name));
    }

    @Override
    public void close() {
        makers.shutdown();
        subject.close();
    }
}
