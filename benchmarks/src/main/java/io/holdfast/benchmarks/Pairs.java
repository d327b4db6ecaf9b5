package io.holdfast.benchmarks;

import java.util.Arrays;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;

/** Runs pairs of lock and unlock on some threads for some time. */
final class Pairs {

    /** One subject under test. */
    interface Subject {

        /** Locks and unlocks once, for this thread. */
        void pair(int thread);
    }

    /**
     * What came of it.
     *
     * @param perSecond pairs in all
     * @param p50Micros median time of a pair
     * @param p999Micros one in a thousand took longer
     * @param violations how often two threads were inside at once, where they share a lock
     */
    record Figures(long perSecond, double p50Micros, double p999Micros, long violations) {}

    private static final int SAMPLES = 200_000;

    private Pairs() {}

    static Figures run(Subject subject, int threads, long millis, AtomicLong violations) {
        AtomicLong total = new AtomicLong();
        long[][] samples = new long[threads][];
        CountDownLatch ready = new CountDownLatch(threads + 1);
        Thread[] running = new Thread[threads];
        long[] end = {0};
        for (int i = 0; i < threads; i++) {
            int thread = i;
            running[i] = new Thread(() -> {
                ready.countDown();
                await(ready);
                samples[thread] = loop(subject, thread, end[0], total);
            });
            running[i].start();
        }
        long begin = System.nanoTime();
        end[0] = begin + millis * 1_000_000;
        ready.countDown();
        for (Thread each : running) {
            join(each);
        }
        double seconds = (System.nanoTime() - begin) / 1e9;
        long[] all =
                Arrays.stream(samples).flatMapToLong(Arrays::stream).sorted().toArray();
        return new Figures((long) (total.get() / seconds), at(all, 0.5), at(all, 0.999), violations.getAndSet(0));
    }

    private static long[] loop(Subject subject, int thread, long end, AtomicLong total) {
        long[] samples = new long[SAMPLES];
        long count = 0;
        long before = System.nanoTime();
        while (before - end < 0) {
            subject.pair(thread);
            long after = System.nanoTime();
            samples[(int) (count++ % SAMPLES)] = after - before;
            before = after;
        }
        total.addAndGet(count);
        return Arrays.copyOf(samples, (int) Math.min(count, SAMPLES));
    }

    private static double at(long[] sorted, double share) {
        return sorted.length == 0
                ? 0
                : sorted[(int) Math.min(sorted.length - 1L, (long) (sorted.length * share))] / 1e3;
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void join(Thread thread) {
        try {
            thread.join();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
