package io.holdfast.benchmarks.work;

import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.IntConsumer;

/** Helpers for many threads. */
final class Crowd {

    private static final int MAKERS = 32;
    private static final int SMALL_STACK = 128 * 1024;

    private Crowd() {}

    /** Returns an executor with a few long-lived threads. */
    static ExecutorService makers() {
        return Executors.newFixedThreadPool(MAKERS);
    }

    /** Runs the work for each number below the count on these threads, and returns when all is done. */
    static void each(ExecutorService makers, int count, IntConsumer work) throws InterruptedException {
        Ends ends = new Ends(MAKERS);
        for (int maker = 0; maker < MAKERS; maker++) {
            int first = maker;
            makers.execute(() -> ends.run(() -> {
                for (int i = first; i < count; i += MAKERS) {
                    work.accept(i);
                }
            }));
        }
        ends.await();
    }

    /** Starts a thread for a waiter: a virtual one if the JVM supports it, otherwise one with a small stack. */
    static Thread start(Runnable work) {
        try {
            return (Thread)
                    Thread.class.getMethod("startVirtualThread", Runnable.class).invoke(null, work);
        } catch (NoSuchMethodException e) {
            Thread thread = new Thread(null, work, "waiter", SMALL_STACK);
            thread.start();
            return thread;
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("no virtual thread can be started", e);
        }
    }

    /** Returns the heap in use after a garbage collection, in bytes. */
    static long heap() {
        System.gc();
        Runtime runtime = Runtime.getRuntime();
        return runtime.totalMemory() - runtime.freeMemory();
    }

    /** Returns the heap growth for each of the items, under its name in reports. */
    static Map<String, Double> heapEach(long before, int count) {
        return Map.of("heapBytes", Math.max(0, heap() - before) / (double) count);
    }
}
