package io.holdfast.benchmarks.work;

import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.IntConsumer;

/** Many at once. */
final class Crowd {

    private static final int MAKERS = 32;
    private static final int SMALL_STACK = 128 * 1024;

    private Crowd() {}

    /** A few threads, which stay. */
    static ExecutorService makers() {
        return Executors.newFixedThreadPool(MAKERS);
    }

    /** Does it for each number below that, by those threads; returns when all is done. */
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

    /** A thread for one who waits: a virtual one where the JVM has them, else one with a small stack. */
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

    /** The heap in use after a collection, in bytes. */
    static long heap() {
        System.gc();
        Runtime runtime = Runtime.getRuntime();
        return runtime.totalMemory() - runtime.freeMemory();
    }

    /** The heap for each of so many since then, under the name that reports give it. */
    static Map<String, Double> heapEach(long before, int count) {
        return Map.of("heapBytes", Math.max(0, heap() - before) / (double) count);
    }
}
