package io.holdfast.benchmarks.work;

import java.util.concurrent.CountDownLatch;
import org.HdrHistogram.Histogram;

/** One thread of a round. Its figures are complete when it has ended. */
final class Turn extends Thread {

    final Histogram latency = Answer.newHistogram();
    long count;
    long nanos;

    private final Operation operation;
    private final CountDownLatch begin;
    private final Ends ends;
    private final long duration;

    Turn(Operation operation, CountDownLatch begin, Ends ends, long duration) {
        this.operation = operation;
        this.begin = begin;
        this.ends = ends;
        this.duration = duration;
    }

    @Override
    public void run() {
        ends.run(() -> {
            prepare();
            loop();
            operation.end();
        });
    }

    private void prepare() throws InterruptedException {
        try {
            operation.begin();
        } finally {
            begin.countDown();
        }
        begin.await();
    }

    private void loop() {
        long start = System.nanoTime();
        long before = start;
        do {
            operation.run();
            long after = System.nanoTime();
            latency.recordValue(after - before);
            count++;
            before = after;
        } while (before - start < duration);
        nanos = before - start;
    }
}
