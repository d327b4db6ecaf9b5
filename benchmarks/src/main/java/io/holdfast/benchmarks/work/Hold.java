package io.holdfast.benchmarks.work;

import io.holdfast.benchmarks.subject.Subject;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;

/** Holds many locks with short leases, and does nothing else. An operation is one lock held for one second. */
final class Hold implements Workload {

    private final Job job;
    private final Subject subject;
    private final ExecutorService makers = Crowd.makers();
    private final Lock[] locks;
    private Map<String, Double> heap = Map.of();

    Hold(Job job) {
        this.job = job;
        subject = job.open();
        locks = new Lock[job.size()];
    }

    /** Acquires all locks, in the first round. */
    private void begin() throws InterruptedException {
        long before = Crowd.heap();
        Crowd.each(makers, locks.length, i -> {
            locks[i] = subject.lock(job.held() + i);
            locks[i].lock();
        });
        heap = Crowd.heapEach(before, locks.length);
    }

    @Override
    public Answer round(long millis) throws InterruptedException {
        if (heap.isEmpty()) {
            begin();
        }
        long start = System.nanoTime();
        TimeUnit.MILLISECONDS.sleep(millis);
        long nanos = System.nanoTime() - start;
        long lockSeconds = Math.max(1, locks.length * nanos / TimeUnit.SECONDS.toNanos(1));
        return Answer.of(lockSeconds, nanos, 0, Answer.newHistogram(), heap);
    }

    /** Leaves the locks to their leases, because only the threads that acquired them could release them. */
    @Override
    public void close() {
        makers.shutdown();
        subject.close();
    }
}
