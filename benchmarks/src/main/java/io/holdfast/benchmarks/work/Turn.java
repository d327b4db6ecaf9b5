package io.holdfast.benchmarks.work;

import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CyclicBarrier;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/** One thread of a round. Its figures are there when it has ended. */
final class Turn extends Thread {

    final Histogram latency = Answer.newHistogram();
    long count;
    long nanos;

    private final Operation operation;
    private final CyclicBarrier begin;
    private final long duration;
    private @Nullable Throwable failure;

    Turn(Operation operation, CyclicBarrier begin, long duration) {
        this.operation = operation;
        this.begin = begin;
        this.duration = duration;
    }

    @Override
    public void run() {
        try {
            operation.begin();
            begin.await();
            loop();
            operation.end();
        } catch (InterruptedException | BrokenBarrierException | RuntimeException | Error e) {
            failure = e;
        }
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

    void rethrow() {
        if (failure != null) {
            throw new IllegalStateException("an operation failed", failure);
        }
    }
}
